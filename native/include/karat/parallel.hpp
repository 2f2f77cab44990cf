// Runs independent jobs on a few threads that take the next index from a counter.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace karat {

// Calls make_worker() once per thread; the worker is then called with each index
// it takes. A worker keeps its scratch memory between calls. The first exception
// ends the loop and is thrown again here.
template <class MakeWorker>
void parallel_for(std::size_t count, std::size_t threads, MakeWorker make_worker) {
    threads = std::max<std::size_t>(1, std::min(threads, count));
    if (threads == 1) {
        auto worker = make_worker();
        for (std::size_t i = 0; i < count; ++i) worker(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex failure_lock;
    auto loop = [&] {
        try {
            auto worker = make_worker();
            for (std::size_t i = next++; i < count; i = next++) worker(i);
        } catch (...) {
            next = count;
            std::lock_guard<std::mutex> guard(failure_lock);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    try {
        for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(loop);
    } catch (const std::exception &) {
        // The system has no more threads; those that run do the work.
    }
    loop();
    for (auto &thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace karat
