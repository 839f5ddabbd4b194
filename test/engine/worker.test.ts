import { expect } from 'chai'
import { onThread } from '#engine/run/worker.ts'
import type { Summing } from '#test/engine/summing-thread.ts'

const module = new URL('./summing-thread.ts', import.meta.url)

/** Batches of ten numbers each; how many were asked for is kept. */
class Numbers {
  asked = 0
  isLeft = false
  private readonly batches: number

  constructor(batches: number) {
    this.batches = batches
  }

  async *[Symbol.asyncIterator]() {
    try {
      for (; this.asked < this.batches; this.asked++) yield Array.from({ length: 10 }, (_, n) => this.asked * 10 + n)
    } finally {
      this.isLeft = true
    }
  }
}

const summed = (input: Summing, numbers: AsyncIterable<number[]>, signal = new AbortController().signal) =>
  onThread<Summing, number[], number>(module, input, numbers, signal)

const failure = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'no failure',
    (error: Error) => error.message,
  )

describe('work on a thread of its own', () => {
  it('is answered of everything that was given, in its order, while the loop goes on', async () => {
    let ticks = 0
    const ticking = setInterval(() => ticks++, 1)
    expect(await summed({ start: 5 }, new Numbers(200))).to.equal(5 + (1999 * 2000) / 2)
    clearInterval(ticking)
    expect(ticks).to.be.above(0)
  })

  it('is shared by threads that take batches as they are free: each is taken once', async () => {
    const numbers = new Numbers(300)[Symbol.asyncIterator]()
    const shared = { [Symbol.asyncIterator]: () => numbers }
    const [a, b] = await Promise.all([summed({ start: 0 }, shared), summed({ start: 0 }, shared)])
    expect(a + b).to.equal((2999 * 3000) / 2)
  })

  it('is done by the thread that answered before, unless that failed', async () => {
    const input = { start: 0, namesThread: true }
    const first = await summed(input, new Numbers(1))
    expect(await summed(input, new Numbers(1))).to.equal(first)
    expect(await failure(summed({ start: 0, failsAt: 7 }, new Numbers(1)))).to.equal('7 is not taken')
    expect(await summed({ start: 5 }, new Numbers(1))).to.equal(50)
    expect(await summed(input, new Numbers(1))).to.not.equal(first)
  })

  it('is not given more than it has room for', async () => {
    const numbers = new Numbers(10_000)
    const ending = new AbortController()
    const answer = failure(summed({ start: 0, hangsAt: 0 }, numbers, ending.signal))
    setTimeout(() => ending.abort(new Error('late')), 500)
    expect(await answer).to.equal('late')
    expect(numbers.asked).to.be.below(20)
  })

  it('is ended by its signal whatever it does, and leaves what it was given', async () => {
    const numbers = new Numbers(10_000)
    const ending = new AbortController()
    const answer = failure(summed({ start: 0, hangsAt: 0 }, numbers, ending.signal))
    ending.abort(new Error('late'))
    expect([await answer, numbers.asked]).to.deep.equal(['late', 0])
    expect(await failure(summed({ start: 0 }, numbers, ending.signal))).to.equal('late')
  })

  it('tells what it failed by, and asks for no more', async () => {
    const numbers = new Numbers(100_000)
    expect(await failure(summed({ start: 0, failsAt: 7 }, numbers))).to.equal('7 is not taken')
    expect([numbers.isLeft, numbers.asked < 100_000]).to.deep.equal([true, true])
  })

  it('tells what it was not given', async () => {
    const broken = {
      async *[Symbol.asyncIterator]() {
        yield [1]
        throw new Error('the store is away')
      },
    }
    expect(await failure(summed({ start: 0 }, broken))).to.equal('the store is away')
  })
})
