// CopyTeam: host threads that copy between pageable memory and a ring of pinned chunks during GPU copies.
#pragma once
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace gpunp {

inline void pause_cpu() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

// Whether memory of many pages appears to be unmapped: none of three sampled pages is resident.
inline bool is_fresh(const char* memory, size_t nbytes) {
#if defined(__linux__)
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 1; i <= 3; i++) {
        char* middle = (char*)(((size_t)memory + nbytes / 4 * i) / page * page);
        unsigned char resident = 1;
        if (mincore(middle, page, &resident) != 0 || (resident & 1)) return false;
    }
    return true;
#else
    (void)memory, (void)nbytes;
    return false;
#endif
}

// Faults in the pages of a range by an atomic OR with 0 per page, which changes no data even while another
// thread copies into them. With huge pages this was measured faster than MADV_POPULATE_WRITE.
inline void touch_pages(char* memory, size_t nbytes) {
    constexpr size_t kPage = 4096;
    for (size_t at = 0; at < nbytes; at += kPage) __atomic_fetch_or(memory + at, (char)0, __ATOMIC_RELAXED);
}

// Copies with non-temporal stores, which do not read the target's cache lines first (87 instead of 41 GB/s
// with eight threads).
inline void copy_past_caches(char* target, const char* source, size_t nbytes) {
#if defined(__SSE2__)
    const size_t head = (64 - ((size_t)target & 63)) & 63;
    if (nbytes >= head + 64) {
        memcpy(target, source, head);
        target += head, source += head, nbytes -= head;
        for (; nbytes >= 64; target += 64, source += 64, nbytes -= 64) {
            const __m128i* from = (const __m128i*)source;
            __m128i* to = (__m128i*)target;
            const __m128i a = _mm_loadu_si128(from), b = _mm_loadu_si128(from + 1);
            const __m128i c = _mm_loadu_si128(from + 2), d = _mm_loadu_si128(from + 3);
            _mm_stream_si128(to, a);
            _mm_stream_si128(to + 1, b);
            _mm_stream_si128(to + 2, c);
            _mm_stream_si128(to + 3, d);
        }
        // Non-temporal stores are weakly ordered: complete them before the piece is counted as done.
        _mm_sfence();
    }
#endif
    memcpy(target, source, nbytes);
}

// Backs off while waiting: spins for some microseconds, then yields, then sleeps.
class Backoff {
  public:
    void wait() {
        if (++rounds_ < 2000) {
            pause_cpu();
        } else if (rounds_ < 4000) {
            std::this_thread::yield();
        } else {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    void reset() { rounds_ = 0; }

  private:
    int rounds_ = 0;
};

// One transfer at a time, cut into chunks (the unit of the GPU's copies) and these into pieces (the unit of
// a thread's copies). The pieces of a chunk may be taken once it is released; done(chunk) is true when all
// of them are copied.
class CopyTeam {
  public:
    static constexpr int kMaxSlots = 16;
    // From this many bytes on, a download does not stay in the caches, so its stores bypass them.
    static constexpr size_t kBeyondCaches = (size_t)32 << 20;

    explicit CopyTeam(int workers) {
        for (int i = 0; i < workers; i++) {
            // Detached: the team is never destroyed, so its threads end with the process.
            std::thread([this, i] { work(i); }).detach();
        }
        workers_ = workers;
    }

    int workers() const { return workers_; }

    // The calling thread owns the team, and every ring used with it, until end().
    void lock() { turn_.lock(); }

    // Starts a transfer by at most `workers` of the team's threads; `first` is the slot of chunk 0. If the
    // host memory is `fresh`, they fault in its pages, ahead of the calling thread, before they copy.
    void begin(char* host, char* const* slots, int num_slots, int first, size_t nbytes, size_t chunk,
               size_t piece, bool upload, bool fresh, int workers) {
        host_ = host;
        for (int i = 0; i < num_slots; i++) slots_[i] = slots[i];
        num_slots_ = num_slots;
        first_ = first;
        nbytes_ = nbytes;
        chunk_ = chunk;
        piece_ = piece;
        upload_ = upload;
        fresh_ = fresh;
        long chunks = (long)((nbytes + chunk - 1) / chunk);
        per_chunk_ = (long)(chunk / piece);
        done_.reset(new std::atomic<long>[chunks]);
        for (long i = 0; i < chunks; i++) done_[i].store(0, std::memory_order_relaxed);
        total_ = (long)((nbytes + piece - 1) / piece);
        next_.store(0);
        untouched_.store(fresh ? 0 : nbytes);
        released_.store(0);
        if (workers > 0 && workers_ > 0) {
            std::lock_guard<std::mutex> guard(mutex_);
            wanted_ = workers;
            job_++;
            open_ = true;
            wake_.notify_all();
        }
    }

    void release(long chunks) { released_.store(chunks, std::memory_order_release); }

    bool done(long chunk) const {
        long pieces = per_chunk_ < total_ - chunk * per_chunk_ ? per_chunk_ : total_ - chunk * per_chunk_;
        return done_[chunk].load(std::memory_order_acquire) == pieces;
    }

    // Copies one released piece; returns false if none is available.
    bool help() {
        long piece = next_.load(std::memory_order_relaxed);
        while (piece < total_ && piece / per_chunk_ < released_.load(std::memory_order_acquire)) {
            if (!next_.compare_exchange_weak(piece, piece + 1)) continue;
            size_t start = (size_t)piece * piece_;
            size_t count = nbytes_ - start < piece_ ? nbytes_ - start : piece_;
            long chunk = piece / per_chunk_;
            char* pinned = slots_[(first_ + chunk) % num_slots_] + (start - (size_t)chunk * chunk_);
            if (upload_) {
                memcpy(pinned, host_ + start, count);
            } else if (nbytes_ >= kBeyondCaches) {
                copy_past_caches(host_ + start, pinned, count);
            } else {
                memcpy(host_ + start, pinned, count);
            }
            done_[chunk].fetch_add(1, std::memory_order_release);
            return true;
        }
        return false;
    }

    // Faults in a stretch of the host's pages; returns false if all are taken.
    bool touch() {
        constexpr size_t kStretch = (size_t)2 << 20;
        size_t start = untouched_.fetch_add(kStretch, std::memory_order_relaxed);
        if (start >= nbytes_) return false;
        touch_pages(host_ + start, nbytes_ - start < kStretch ? nbytes_ - start : kStretch);
        return true;
    }

    // Copies released pieces until all pieces of the chunk are done.
    void finish_chunk(long chunk) {
        Backoff backoff;
        while (!done(chunk)) {
            if (help()) {
                backoff.reset();
            } else {
                backoff.wait();
            }
        }
    }

    // Ends the transfer and unlocks the team. If the transfer failed, pieces not yet started are dropped.
    void end() {
        next_.store(total_);
        untouched_.store(nbytes_);
        {
            std::lock_guard<std::mutex> guard(mutex_);
            open_ = false;
        }
        Backoff backoff;
        while (active_.load(std::memory_order_acquire)) backoff.wait();
        turn_.unlock();
    }

  private:
    void work(int number) {
        long seen = 0;
        for (;;) {
            {
                std::unique_lock<std::mutex> guard(mutex_);
                wake_.wait(guard, [&] { return open_ && job_ != seen; });
                seen = job_;
                if (number >= wanted_) continue;
                active_.fetch_add(1);
            }
            if (fresh_) {
                while (touch()) {
                }
            }
            Backoff backoff;
            while (next_.load(std::memory_order_relaxed) < total_) {
                if (help()) {
                    backoff.reset();
                } else {
                    backoff.wait();
                }
            }
            active_.fetch_sub(1, std::memory_order_release);
        }
    }

    std::mutex turn_, mutex_;
    std::condition_variable wake_;
    int workers_ = 0, wanted_ = 0;
    long job_ = 0;
    bool open_ = false;
    std::atomic<int> active_{0};

    char* host_ = nullptr;
    char* slots_[kMaxSlots] = {};
    int num_slots_ = 0, first_ = 0;
    size_t nbytes_ = 0, chunk_ = 0, piece_ = 0;
    bool upload_ = false, fresh_ = false;
    long per_chunk_ = 1, total_ = 0;
    std::unique_ptr<std::atomic<long>[]> done_;
    std::atomic<long> next_{0}, released_{0};
    std::atomic<size_t> untouched_{0};
};

}  // namespace gpunp
