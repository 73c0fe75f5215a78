"""asyncio.run with tasks, queues and sleeps of zero works inside a program."""
# topic: control flow
# call: gathered([3, 1, 2])
# call: queued(3)

import asyncio


async def double(x):
    await asyncio.sleep(0)
    return 2 * x


def gathered(xs):
    async def main():
        return await asyncio.gather(*map(double, xs))

    return asyncio.run(main())


def queued(n):
    async def main():
        queue = asyncio.Queue()
        producer = asyncio.create_task(produce(queue))
        received = [await queue.get() for _ in range(n)]
        await producer
        return received

    async def produce(queue):
        for number in range(n):
            await queue.put(number)

    return asyncio.run(main())
