"""What is known of the calls at which chains begin: some only delay an operation by deferring it."""
from gpunp.fusion.trace cimport HABITS, VISITED, Habit, Site, Trace

cdef enum:
    # After this many chains of one operation from one call in a row, so many calls are not deferred.
    ENOUGH_ALONE = 4
    REST = 60
    # After so many operations of groups that never came before, so many are not deferred; after them twice as many, up
    # to a limit, if so few are new again. 64 calls of 2^16 elements in a new random order each time: deferring them for
    # nothing takes 8 to 11 % of the time. Larger operations take so long that it does not matter.
    ENOUGH_STRANGE = 128
    STRANGE_REST = 2048
    LONGEST_REST = 8192
    STILL_STRANGE = 64
    RESTING_ELEMENTS = 1 << 20
    # An operation whose group came before makes up for a new one, and one that was fused for so many: that saves a
    # launch, several times as long as deferring takes.
    FUSED_FOR = 4
    # What became of a group.
    FUSED = 0
    KNOWN = 1
    STRANGE = 2


cdef inline Habit* habit_of(Trace trace) noexcept:
    """What is known of chains that begin where the present one began."""
    cdef size_t number = (<size_t>trace.callers[0].code >> 4) + <size_t>trace.callers[0].instruction
    return &trace.habits[number % HABITS]


cdef inline bint is_revisited(Trace trace) noexcept:
    """Whether a chain has begun before where the present one began, with the same callers."""
    cdef size_t mixed = 0
    cdef unsigned int tag
    cdef int i
    for i in range(trace.depth):
        mixed = (mixed ^ <size_t>trace.callers[i].code ^ <size_t>trace.callers[i].instruction) * 0x9e3779b97f4a7c15u
        mixed ^= mixed >> 29
    tag = <unsigned int>(mixed >> 32)
    if trace.visited[mixed % VISITED] == tag:
        return True
    trace.visited[mixed % VISITED] = tag
    return False


cdef inline bint is_futile(Habit* habit, const Site* caller) noexcept:
    """Whether deferring has only delayed the operation, as seen before."""
    if habit.alone < ENOUGH_ALONE or habit.site.code != caller.code or habit.site.instruction != caller.instruction:
        return False
    habit.alone += 1
    if habit.alone > ENOUGH_ALONE + REST:
        # The program may have come to another phase.
        habit.alone = ENOUGH_ALONE - 1
        return False
    return True


cdef inline void learn(Habit* habit, Trace trace) noexcept:
    """Remember whether the chain that has run was worth deferring."""
    cdef Site* caller = &trace.callers[0]
    if habit.site.code != caller.code or habit.site.instruction != caller.instruction:
        habit.site = caller[0]
        habit.alone = 0
    habit.alone = 0 if trace.useful else habit.alone + 1


cdef inline void meet(Trace trace, int operations, int how) noexcept:
    """Remember what became of a group: FUSED, KNOWN but without a kernel, or STRANGE, as it never came before."""
    if how != STRANGE:
        trace.strange = max(0, trace.strange - (FUSED_FOR * operations if how == FUSED else operations))
        if trace.strange == 0:
            trace.rested = 0
        return
    if not trace.revisited:
        # What runs for the first time is new, and says nothing about what comes later.
        return
    trace.strange += operations
    if trace.strange >= ENOUGH_STRANGE:
        trace.rest = trace.rested = min(2 * trace.rested, LONGEST_REST) if trace.rested else STRANGE_REST
        trace.strange = ENOUGH_STRANGE - STILL_STRANGE


cdef inline bint rests(Trace trace, Py_ssize_t size) noexcept:
    """Whether an operation that begins a chain is not deferred, as those before it only made new groups."""
    return trace.rest and not trace.count and size < RESTING_ELEMENTS
