"""From drafts to groups that hold rows: the passes in which steps are computed, and the arrays that are held."""
from gpunp.fusion.row_groups cimport RowDraft, RowGroup
from gpunp.fusion.trace cimport Node

# Turn a draft into a group, with memory for its stores; 0 if nothing is left that needs a kernel for rows.
cdef int settle_rows(RowDraft* draft, Node* nodes, RowGroup* group) except -1
