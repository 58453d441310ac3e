"""Memory that the system maps, and how much the host has."""

cdef extern from *:
    """
    #include <sys/mman.h>
    #include <unistd.h>

    // A mapping whose address is a multiple of `alignment`; NULL if the system refuses.
    static char* gpunp_map(size_t nbytes, size_t alignment) {
        const size_t all = nbytes + alignment;
        if (all < nbytes) return NULL;
        void* found = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (found == MAP_FAILED) return NULL;
        char* const begin = (char*)found;
        char* const aligned = (char*)(((size_t)begin + alignment - 1) & ~(alignment - 1));
        if (aligned > begin) munmap(begin, aligned - begin);
        munmap(aligned + nbytes, begin + all - aligned - nbytes);
        return aligned;
    }
    static void gpunp_unmap(void* begin, size_t nbytes) { munmap(begin, nbytes); }
    static void gpunp_ask_huge_pages(void* begin, size_t nbytes) {
    #ifdef MADV_HUGEPAGE
        madvise(begin, nbytes, MADV_HUGEPAGE);
    #endif
    }
    // Whether the pages are gone, so that they read as zeros.
    static int gpunp_drop_pages(void* begin, size_t nbytes) {
    #ifdef __linux__
        return madvise(begin, nbytes, MADV_DONTNEED) == 0;
    #else
        return 0;
    #endif
    }
    static size_t gpunp_host_memory() {
        const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        return pages > 0 && size > 0 ? (size_t)pages * size : (size_t)1 << 62;
    }
    static size_t gpunp_free_host_memory() {
        const long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        return pages > 0 && size > 0 ? (size_t)pages * size : 0;
    }
    """
    char* gpunp_map(size_t nbytes, size_t alignment) noexcept nogil
    void gpunp_unmap(void* begin, size_t nbytes) noexcept nogil
    void gpunp_ask_huge_pages(void* begin, size_t nbytes) noexcept nogil
    int gpunp_drop_pages(void* begin, size_t nbytes) noexcept nogil
    size_t gpunp_host_memory() noexcept nogil
    size_t gpunp_free_host_memory() noexcept nogil
