import { expect } from 'chai'
import { mapConcurrently, mergeConcurrently } from '#streams/cloud/bill/merge.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'

describe('many sources read as one', () => {
  /** Says its name and a number every so many milliseconds; notes when it begins and ends. */
  function told(clock: VirtualClock, notes: string[], fails = '') {
    return async function* source(name: string, everyMs: number, count: number) {
      notes.push(`begins ${name}`)
      try {
        for (let n = 1; n <= count; n++) {
          await clock.sleep(everyMs)
          if (fails === `${name}${n}`) throw new Error(fails)
          yield `${name}${n}`
        }
      } finally {
        notes.push(`ends ${name}`)
      }
    }
  }

  it('hear of a source that fails while its reader is busy with another item, and of it once', async () => {
    async function* failing() {
      yield 1
      throw new Error('gone')
    }
    const seen: unknown[] = []
    const unheard: unknown[] = []
    const hear = (error: unknown) => void unheard.push(error)
    process.on('unhandledRejection', hear)
    try {
      for await (const item of mergeConcurrently([failing(), failing()], 2)) {
        seen.push(item)
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
      }
    } catch (error) {
      seen.push((error as Error).message)
    } finally {
      process.off('unhandledRejection', hear)
    }
    expect([seen.at(-1), unheard]).to.deep.equal(['gone', []])
  })

  it('gives what each says as it comes, so many at once, in the order of each', async () => {
    const clock = new VirtualClock(0)
    const notes: string[] = []
    const source = told(clock, notes)
    const all: string[] = []
    for await (const one of mergeConcurrently([source('a', 30, 2), source('b', 20, 2), source('c', 5, 1)], 2))
      all.push(one)
    expect(all).to.deep.equal(['b1', 'a1', 'b2', 'c1', 'a2'])
    expect(notes).to.deep.equal(['begins a', 'begins b', 'ends b', 'begins c', 'ends c', 'ends a'])
  })

  it('ends the others when one fails, or when nobody reads on, and begins no more', async () => {
    const clock = new VirtualClock(0)
    const notes: string[] = []
    const source = told(clock, notes, 'b2')
    const reading = async () => {
      for await (const _ of mergeConcurrently([source('a', 30, 9), source('b', 20, 9), source('c', 5, 1)], 2));
    }
    expect(await reading().catch((error: Error) => error.message)).to.equal('b2')
    expect(notes.toSorted()).to.deep.equal(['begins a', 'begins b', 'ends a', 'ends b'])

    const left: string[] = []
    const other = told(clock, left)
    for await (const _ of mergeConcurrently([other('a', 30, 9), other('b', 20, 9), other('c', 5, 1)], 2)) break
    expect(left.toSorted()).to.deep.equal(['begins a', 'begins b', 'ends a', 'ends b'])
  })

  it('works on so many items at once, and answers in their order', async () => {
    const clock = new VirtualClock(0)
    let [now, most] = [0, 0]
    const answers = await mapConcurrently([30, 10, 20, 10], 2, async (ms) => {
      most = Math.max(most, ++now)
      await clock.sleep(ms)
      now--
      return ms * 2
    })
    expect([answers, most]).to.deep.equal([[60, 20, 40, 20], 2])
  })
})
