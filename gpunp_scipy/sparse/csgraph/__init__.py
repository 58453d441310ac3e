"""``scipy.sparse.csgraph`` on device arrays, sparse or dense."""

from gpunp_scipy.lazy import attach

HOMES = {
    "components": ("connected_components",),
    "conversions": ("construct_dist_matrix", "csgraph_from_dense", "csgraph_to_dense", "reconstruct_path"),
    "host": (
        "csgraph_from_masked",
        "csgraph_masked_from_dense",
        "csgraph_to_masked",
        "depth_first_order",
        "depth_first_tree",
        "maximum_bipartite_matching",
        "maximum_flow",
        "min_weight_full_bipartite_matching",
        "structural_rank",
        "yen",
    ),
    "laplacians": ("laplacian",),
    "paths": ("bellman_ford", "dijkstra", "floyd_warshall", "johnson", "shortest_path"),
    "spanning_trees": ("minimum_spanning_tree",),
    "traversals": ("breadth_first_order", "breadth_first_tree", "reverse_cuthill_mckee"),
}

__all__, __getattr__, __dir__ = attach(__name__, HOMES)
