import { expect } from 'chai'
import { Projections, projectionsOf, type ProjectionWork } from '#engine/run/projection.ts'
import { Meter } from '#engine/meter.ts'
import type { Beside, MarkRow, StateStore } from '#engine/actor/ports.ts'

const mark = (key: string): MarkRow => ({ projection: 'p', orgId: 'o', key, stamp: '1' })

/** A store with some marks, and a row that `beside` reads; `onBegin` runs while a run begins. */
function storeOf(marks: MarkRow[], row: { value: number }, onBegin: () => void) {
  let generation = 0
  const rows = async <T>() => [{ ...row }] as T[]
  const store: Partial<StateStore> = {
    marks: async (_lanes: readonly number[], _max: number, beside?: Beside) => {
      const found = [...marks]
      if (found.length > 0) await beside?.(found, rows)
      return found
    },
    begin: async () => {
      onBegin()
      return String(++generation)
    },
    rows,
    turnOver: async () => {},
    unmark: async (some) => {
      for (const { key } of some)
        marks.splice(
          marks.findIndex((one) => one.key === key),
          1,
        )
    },
  }
  return store as StateStore
}

async function worked(work: ProjectionWork, store: StateStore, until: () => boolean): Promise<void> {
  const stop = new AbortController()
  const clock = {
    now: () => 0,
    sleep: async () => {
      await new Promise((done) => setImmediate(done))
      if (until()) stop.abort()
    },
  }
  const quiet = { info: () => {}, warn: () => {}, error: () => {} }
  const projections = new Projections({ store, clock, meter: new Meter(), report: quiet, lanes: () => [0] }, [work])
  await projections.run(stop.signal)
}

describe('a projection', () => {
  it('begins anew when what it is worked out from has changed before it began, and leaves its marks till then', async () => {
    const row = { value: 1 }
    const marks = [mark('a'), mark('b')]
    let begins = 0
    const ran: unknown[] = []
    const work: ProjectionWork<{ value: number }[]> = {
      name: 'p',
      basis: (_, rows) => rows('select', []),
      run: async (some, generation, basis) => void ran.push([some.map(({ key }) => key), generation, basis[0]!.value]),
    }
    const store = storeOf(marks, row, () => void (++begins === 1 && (row.value = 2)))
    await worked(work, store, () => marks.length === 0)
    expect(ran).to.deep.equal([[['a', 'b'], '2', 2]])
  })

  it('begins anew when a run finds that it stands no more, and leaves its marks till then', async () => {
    const row = { value: 1 }
    const marks = [mark('a')]
    const stood: boolean[] = []
    const work: ProjectionWork<{ value: number }[]> = {
      name: 'p',
      basis: (_, rows) => rows('select', []),
      run: async (_some, generation, _basis, stands) => {
        if (generation === '1') row.value = 2
        stood.push(await stands())
        return stood.at(-1)!
      },
    }
    await worked(
      work,
      storeOf(marks, row, () => {}),
      () => marks.length === 0,
    )
    expect(stood).to.deep.equal([false, true])
  })

  it('says what turns over only where the run still stands: all of it, or what the run says, and tells of its end last', async () => {
    const row = { value: 1 }
    const marks = [mark('a'), mark('b')]
    const told: string[] = []
    const keysOf = (some: readonly MarkRow[]) => some.map(({ key }) => key).join()
    const bare = storeOf(marks, row, () => {})
    const store = Object.assign(
      storeOf(marks, row, () => {}),
      {
        turnOver: async (some: MarkRow[], generation: string) =>
          void told.push(`${keysOf(some)} turn over in ${generation}`),
        unmark: async (some: MarkRow[], generation: string) => {
          told.push(`${keysOf(some)} are off`)
          await bare.unmark(some, generation)
        },
      },
    )
    const work: ProjectionWork<{ value: number }[]> = {
      name: 'p',
      basis: (_, rows) => rows('select', []),
      run: async (some, generation, _basis, stands) => {
        if (generation === '1') row.value = 2
        return (await stands()) && stands(some.slice(1))
      },
      ended: (some) => void told.push(`${keysOf(some)} ended`),
    }
    await worked(work, store, () => marks.length === 0)
    expect(told).to.deep.equal(['a,b turn over in 2', 'b turn over in 2', 'a,b are off', 'a,b ended'])
  })

  it('that runs apart keeps nothing waiting, however long it takes', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const ran: string[] = []
    const slow: ProjectionWork = { name: 'slow', apart: true, run: () => released }
    const quick: ProjectionWork = { name: 'p', run: async () => void ran.push('p') }
    const store = { ...storeOf([], { value: 1 }, () => {}) }
    const left = new Set(['slow', 'p'])
    Object.assign(store, {
      marks: async (_lanes: unknown, _max: unknown, _beside: unknown, projections: readonly string[]) =>
        [...left].filter((name) => projections.includes(name)).map((projection) => ({ ...mark('a'), projection })),
      unmark: async (some: MarkRow[]) => some.forEach(({ projection }) => left.delete(projection)),
    })
    const stop = new AbortController()
    const sleep = async () => {
      await new Promise((done) => setImmediate(done))
      if (!left.has('p')) stop.abort()
    }
    const quiet = { info: () => {}, warn: () => {}, error: () => {} }
    const tools = { store, clock: { now: () => 0, sleep }, meter: new Meter(), report: quiet, lanes: () => [0] }
    const loops = projectionsOf(tools, [slow, quick])
    expect(loops).to.have.length(2)
    const ended = loops.map((loop) => loop.run(stop.signal))
    await ended[0]
    expect([ran, [...left]]).to.deep.equal([['p'], ['slow']])
    release()
    await Promise.all(ended)
    expect([...left]).to.deep.equal([])
  })
})
