/** In what order the facts of a batch reach their store. */
import { expect } from 'chai'
import { Committer } from '#engine/lane/commit/committer.ts'
import type { Batch } from '#engine/lane/commit/draft.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import { Meter } from '#engine/meter.ts'
import { DataRefused, type FactRow, type Lease } from '#engine/actor/ports.ts'
import type { Table } from '#engine/actor/table.ts'

const rowsOf = (...tables: [string, number?][]) =>
  new Map(tables.map(([name, order]) => [{ name, ...(order && { order }) } as Table, [{ n: 1 } as unknown as FactRow]]))

/** Of how a store of facts that refuses three times is asked again. */
async function retrying(): Promise<number[]> {
  const slept: number[] = []
  let refusals = 3
  const insert = () => (refusals-- > 0 ? Promise.reject(new Error('away')) : Promise.resolve())
  const tools = {
    facts: { insert },
    store: { commit: () => Promise.resolve(false) },
    clock: { sleep: (ms: number) => Promise.resolve(void slept.push(ms)) },
    meter: new Meter(),
    point: () => {},
  } as unknown as LaneTools
  const committer = new Committer(tools, { lane: 0 } as Lease, new AbortController().signal, {} as never, {} as never)
  await committer.commit({ facts: rowsOf(['a']), commit: {} } as unknown as Batch).catch(() => {})
  return slept
}

/** A commit of these facts; each insert ends when it is told to. */
function committing(facts: Map<Table, FactRow[]>) {
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  let isMoved = false
  const tools = {
    facts: {
      insert: (name: string) => {
        begun.push(name)
        const end = Promise.withResolvers<void>()
        ends.set(name, end)
        return end.promise
      },
    },
    store: {
      commit: async () => {
        isMoved = true
        return false
      },
    },
    meter: new Meter(),
    point: () => {},
  } as unknown as LaneTools
  const committer = new Committer(tools, { lane: 0 } as Lease, new AbortController().signal, {} as never, {} as never)
  const outcome = committer.commit({ facts, commit: {} } as unknown as Batch).then(
    () => 'done',
    (error: Error) => error.message,
  )
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  return { begun, ends, outcome, turn, hasMoved: () => isMoved }
}

describe('facts of a batch', () => {
  it('are inserted side by side where no table waits for another, and before the state', async () => {
    const { begun, ends, outcome, turn, hasMoved } = committing(rowsOf(['later', 1], ['a'], ['b']))
    await turn()
    expect(begun).to.deep.equal(['a', 'b'])
    ends.get('a')!.resolve()
    await turn()
    expect(begun, 'what is of a higher order waits for both').to.deep.equal(['a', 'b'])
    ends.get('b')!.resolve()
    await turn()
    expect([begun, hasMoved()]).to.deep.equal([['a', 'b', 'later'], false])
    ends.get('later')!.resolve()
    expect([await outcome, hasMoved()]).to.deep.equal(['lost', true])
  })

  it('are all ended before a refusal of some is told', async () => {
    const { ends, outcome, turn, hasMoved } = committing(rowsOf(['a'], ['b']))
    let told = ''
    void outcome.then((said) => (told = said))
    await turn()
    ends.get('a')!.reject(new DataRefused('no such day'))
    await turn()
    expect(told).to.equal('')
    ends.get('b')!.resolve()
    expect([await outcome, hasMoved()]).to.deep.equal(['no such day', false])
  })

  it('are tried again after pauses that double while their store is away', async () => {
    expect(await retrying()).to.deep.equal([25, 50, 100])
  })
})
