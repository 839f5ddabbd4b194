/** Messages that say what is known, batch by batch: what is written of them, and what is in memory behind them. */
import { expect } from 'chai'
import { Activations, actorId } from '#engine/lane/activation.ts'
import { makeBatch } from '#engine/lane/batch.ts'
import type { Batch } from '#engine/lane/commit/draft.ts'
import { Echoes } from '#engine/lane/message/echo.ts'
import type { PlainReads } from '#engine/lane/plain-reads.ts'
import type { Commit, Lease, Reads, StateStore } from '#engine/actor/ports.ts'
import { org, simRegistry } from '#test/sim/actors.ts'
import { moved, noted, seen } from '#test/sim/sight.ts'

const epoch = Date.parse('2026-01-15T10:00:00Z')
const lease: Lease = { lane: 0, epoch: 1, cursor: 0, clock: 0, ends: 0, suspectUntil: 0, apart: { seq: 0, done: 0 } }

interface Told {
  type: string
  key?: string
  /** Milliseconds behind the beginning. */
  at: number
  value?: string
  round?: string
}

/** One owner of a lane on tables in memory. Every batch commits at once. */
class Owner {
  readonly tables = new Map<string, Map<string, object>>()
  private activations: Activations
  private readonly echoes = new Echoes(simRegistry, 100)
  private seq = 0

  constructor() {
    this.activations = this.empty()
  }

  private empty(): Activations {
    const load: StateStore['load'] = async ({ table }, keys) =>
      keys.flatMap(({ key }) => this.tables.get(table)?.get(key) ?? [])
    return new Activations({ load } as StateStore, 100)
  }

  /** Nothing of it is in memory any more. */
  passivate(): void {
    this.activations = this.empty()
  }

  /** The row of `sight` that is in memory. */
  remembered(key = 'k') {
    return this.activations.peek(actorId('sight', { orgId: org, place: 'p0', key }))
  }

  async run(...told: Told[]): Promise<Batch> {
    const batch = await makeBatch(
      {
        registry: simRegistry,
        store: {} as StateStore,
        reads: {} as Reads,
        plain: {} as PlainReads,
        activations: this.activations,
        echoes: this.echoes,
        lease,
        head: { cursor: this.seq, clock: 0, apart: { seq: 0, done: 0 } },
        settled: async () => {},
        portion: 'batch',
      },
      told.flatMap((one) => this.echoes.read(this.log(one))),
    )
    for (const [id, state] of batch.states) this.activations.set(id, state)
    this.write(batch.commit)
    return batch
  }

  private log({ type, at, key = 'k', ...more }: Told) {
    const envelope = {
      id: `m${++this.seq}`,
      type,
      schemaVersion: 1,
      orgId: org,
      time: new Date(epoch + at).toISOString(),
    }
    const body = Buffer.from(JSON.stringify({ ...envelope, data: { place: 'p0', key, n: 0, ...more } }))
    return { seq: this.seq, subject: `seen.${org}.p0`, headers: {}, body, at: epoch + 60_000 }
  }

  private write({ rows }: Commit): void {
    for (const { shape, upserts, updates = [] } of rows) {
      const table = this.tables.get(shape.table) ?? new Map<string, object>()
      this.tables.set(shape.table, table)
      for (const row of [...upserts, ...updates.flatMap((some) => some.rows)] as { key: string }[])
        table.set(row.key, { ...table.get(row.key), ...row })
    }
  }
}

const says = (at: number, value = 'a', round?: string): Told => ({
  type: seen.name,
  at,
  value,
  ...(round && { round }),
})
const shown = (row: object | undefined) => {
  const { at, round, value, changes } = row as { at: Date; round: string; value: string; changes: number }
  return [at.getTime() - epoch, round, value, changes]
}

/** An owner who was told twice of `k` that it is `a`. */
async function told(): Promise<Owner> {
  const owner = new Owner()
  await owner.run(says(1))
  await owner.run(says(2))
  return owner
}

describe('messages that say what is known', () => {
  it('have no turn and write when it was, and nothing else', async () => {
    const owner = await told()
    const { commit, counts } = await owner.run(says(3))
    const written = commit.rows.map(({ shape, upserts, updates }) => [shape.table, upserts, updates])
    const row = { orgId: org, place: 'p0', key: 'k', at: new Date(epoch + 3) }
    expect(written).to.deep.equal([['sight', [], [{ columns: ['at'], rows: [row] }]]])
    expect([counts.turns, counts.echoes, counts.messages]).to.deep.equal([0, 1, 1])
    expect(shown(owner.remembered())).to.deep.equal([3, '', 'a', 1])
  })

  it('write a row once, though several of one key are in a batch: the last one counts', async () => {
    const owner = new Owner()
    for (const at of [1, 2]) await owner.run(says(at, 'a', `r${at}`))
    const { commit, counts } = await owner.run(says(3, 'a', 'r3'), says(4, 'a', 'r4'))
    expect(commit.rows.flatMap(({ updates = [] }) => updates.flatMap(({ rows }) => rows))).to.have.length(1)
    expect(counts.echoes).to.equal(2)
    expect(shown(owner.tables.get('sight')!.get('k'))).to.deep.equal([4, 'r4', 'a', 1])
  })

  it('are known to a row that another message of their batch brings into memory: an older one changes nothing [STREAM-06]', async () => {
    const owner = await told()
    owner.passivate()
    const { counts } = await owner.run(says(100), { type: noted.name, at: 100 })
    expect(counts.echoes).to.equal(1)
    expect(shown(owner.remembered())).to.deep.equal([100, '', 'a', 1])
    await owner.run(says(70, 'b'))
    expect(shown(owner.remembered())).to.deep.equal([100, '', 'a', 1])
  })

  it('are read like all others where anything else was told of their key, in the batch or before it', async () => {
    for (const between of [[{ type: moved.name, at: 3 }], [says(3, 'b')]]) {
      const [together, behind] = [await told(), await told()]
      expect((await together.run(...between, says(4))).counts.echoes).to.equal(0)
      await behind.run(...between)
      expect((await behind.run(says(4))).counts.echoes).to.equal(0)
    }
  })

  it('are none while they are older than what is known, or name their occasion where none was named', async () => {
    const owner = await told()
    expect((await owner.run(says(1))).counts.echoes).to.equal(0)
    expect((await owner.run(says(2, 'a', 'r2'))).counts.echoes).to.equal(0)
    expect((await owner.run(says(2, 'a', 'r2'), says(1, 'a', 'r1'))).counts.echoes).to.equal(0)
  })
})

describe('a message for existing actors', () => {
  it('is not heard behind one that leaves no row', async () => {
    const owner = new Owner()
    await owner.run({ type: noted.name, at: 1 }, { type: moved.name, at: 2 })
    expect(owner.tables.get('sight')).to.equal(undefined)
  })
})
