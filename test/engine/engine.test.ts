import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { header, ingestSubject, orgWide } from '#engine/actor/subject.ts'
import {
  added,
  addedOnce,
  asked,
  broken,
  called,
  marked,
  passed,
  taken,
  timed,
  toyEffect,
  toyProjection,
  toyWorld,
  until,
  type ToyWorld,
} from '#test/harness/toy.ts'

describe('the engine, with toy actors', () => {
  let world: ToyWorld
  const projected: { orgId: string; key: string }[] = []
  const calls: { input: unknown; attempt: number }[] = []
  const failed: string[] = []
  before(async () => {
    world = await toyWorld({
      projections: [{ name: toyProjection.name, run: async (marks) => void projected.push(...marks) }],
      effects: [
        {
          name: toyEffect.name,
          pool: 'act',
          retry: { tries: 3, pausesMs: { first: 10, doubledTo: 300_000 } },
          run: async (input, { attempt }) => {
            calls.push({ input, attempt })
            const { n } = input as { n: number }
            if (n === 1 && attempt < 2) throw Fault.transient('later', 'later')
            if (n === 2) throw Fault.refused('never', 'never')
          },
          failed: async (_, call) => void failed.push(call.key),
        },
      ],
    })
  })
  after(() => world.close())

  const count = async (key: string) => (await world.toy(key))?.count ?? 0
  const dead = async () =>
    (
      await world.store.pool.query(
        'select code, actor, attempts, type, reason from dead_letter where org_id = $1 order by at',
        [world.org],
      )
    ).rows

  it('gives every message its effect once, in order, in both stores', async () => {
    for (let n = 1; n <= 200; n++) await world.send(added, { place: 'p', key: 'a', n })
    await until('200 messages', async () => (await count('a')) === 200)
    const toy = await world.toy('a')
    expect(toy!.seen).to.deep.equal(Array.from({ length: 200 }, (_, i) => i + 1))
    expect(toy!.total).to.equal(20_100)
    expect([...world.facts.rows].filter(([id]) => id.startsWith(`${world.org}/a/`))).to.have.length(200)
  })

  it('drops a repeat of an id, also one the broker no longer remembers', async () => {
    const id = randomUUID()
    for (let i = 0; i < 5; i++)
      await world.send(addedOnce, { place: 'p', key: 'once', n: 7 }, { id, dedupe: `${id}-${i}` })
    await world.send(added, { place: 'p', key: 'once-after', n: 1 })
    await until('the message behind', async () => (await count('once-after')) === 1)
    expect((await world.toy('once'))!.total).to.equal(7)
  })

  it('sends what a turn emits to its actor once, after the commit', async () => {
    await world.send(passed, { place: 'p', key: 'x', n: 3 })
    await until('the message passed on', async () => (await count('x-next')) === 1)
    expect((await world.toy('x-next'))!.seen).to.deep.equal([3])
    expect(await world.toy('x')).to.equal(undefined)
    await until('an empty outbox', async () => (await world.store.pool.query('select from outbox')).rowCount === 0)
  })

  it('answers a command after its commit, so that the asker can read what was written', async () => {
    const first = await world.asker.ask(asked, world.org, { place: 'p', key: 'asked', n: 5 })
    expect(first).to.deep.equal({ total: 5 })
    expect((await world.toy('asked'))!.total).to.equal(5)
  })

  it("gives the asker the turn's own fault and changes nothing", async () => {
    await world.asker.ask(asked, world.org, { place: 'p', key: 'refused', n: 5 })
    const fault = await world.asker
      .ask(asked, world.org, { place: 'p', key: 'refused', n: -1 })
      .catch((e: unknown) => e)
    expect(fault)
      .to.be.instanceOf(Fault)
      .and.to.include({ kind: 'conflict', code: 'negative', message: 'Only upwards.' })
    expect((await world.toy('refused'))!.total).to.equal(5)
    expect((await dead()).filter((row) => row.type === asked.name)).to.deep.equal([])
  })

  it('tries a message that throws five times alone, then sets it aside and goes on without a trace of it', async () => {
    await world.send(added, { place: 'p', key: 'b', n: 1 })
    await world.send(broken, { place: 'p', key: 'b', n: 50 })
    await world.send(added, { place: 'p', key: 'b', n: 2 })
    await until('the message behind the broken one', async () => (await count('b')) === 2)
    expect((await world.toy('b'))!.seen).to.deep.equal([1, 2])
    expect(await world.toy('never')).to.equal(undefined)
    expect((await dead()).filter((row) => row.type === broken.name)).to.deep.equal([
      {
        code: 'internal',
        actor: 'toy',
        attempts: 5,
        type: broken.name,
        reason: 'An internal error occurred. (Error: broken on purpose)',
      },
    ])
  })

  it('sets aside what is no message, with its reason, and goes on', async () => {
    const subject = `ingest.toy.${world.org}.p`
    const envelope = {
      id: 'x',
      type: added.name,
      schemaVersion: 1,
      orgId: world.org,
      time: new Date().toISOString(),
      data: { place: 'p', key: 'c', n: 1 },
    }
    const bodies = [
      'not json',
      JSON.stringify({ ...envelope, orgId: 'another' }),
      JSON.stringify({ ...envelope, type: 'toy.unheard' }),
      JSON.stringify({ ...envelope, schemaVersion: 2 }),
      JSON.stringify({ ...envelope, data: { place: 'p', key: 'c', n: 'many' } }),
      JSON.stringify({ ...envelope, data: { place: 'p', key: 'nul\0', n: 1 } }),
      JSON.stringify({ ...envelope, time: 'yesterday' }),
    ]
    for (const body of bodies) await world.log.publish({ subject, id: randomUUID(), body })
    await world.send(added, { place: 'p', key: 'c', n: 1 })
    await until('the good message', async () => (await count('c')) === 1)
    const codes = (await dead()).map((row) => row.code)
    expect(codes.slice(-7)).to.have.members([
      'malformed_json',
      'foreign_organization',
      'unknown_type',
      'validation_failed',
      'validation_failed',
      'text_invalid',
      'time_invalid',
    ])
    expect((await world.toy('c'))!.total).to.equal(1)
  })

  it('publishes every dead letter with its reason on the dead subject', async () => {
    await until('all of them on the subject', async () => {
      const info = await world.connection.request('$JS.API.STREAM.INFO.DEAD')
      return (info.json() as { state: { messages: number } }).state.messages >= 8
    })
  })

  it('takes an array of envelopes as so many messages, and refuses only the bad ones of it', async () => {
    const one = (n: number | string) => ({
      id: randomUUID(),
      type: added.name,
      schemaVersion: 1,
      orgId: world.org,
      time: new Date().toISOString(),
      data: { place: 'p', key: 'array', n },
    })
    await world.log.publish({
      subject: `ingest.toy.${world.org}.p`,
      id: randomUUID(),
      body: JSON.stringify([one(1), one('bad'), one(3)]),
    })
    await until('two of three', async () => (await count('array')) === 2)
    expect((await world.toy('array'))!.seen).to.deep.equal([1, 3])
  })

  it('sends a message that came under another token on to the lane of its place', async () => {
    const envelope = {
      id: 'f',
      type: added.name,
      schemaVersion: 1,
      orgId: world.org,
      time: new Date().toISOString(),
      data: { place: 'far/away', key: 'f', n: 9 },
    }
    await world.log.publish({
      subject: `ingest.toy.${world.org}.elsewhere`,
      id: randomUUID(),
      body: JSON.stringify(envelope),
    })
    await until('the forwarded message', async () => (await world.toy('f', 'far/away'))?.total === 9)
  })

  it('sets aside a message whose values a store refuses, and keeps the rest of its batch', async () => {
    await Promise.all([1, 666, 2].map((n) => world.send(added, { place: 'p', key: 'values', n })))
    await until('the good values', async () => (await count('values')) === 2)
    expect((await world.toy('values'))!.total).to.equal(3)
    expect((await dead()).filter((row) => row.code === 'data_refused')).to.have.length(1)
  })

  it('holds a batch while the fact store is away, and loses nothing', async () => {
    world.facts.away = true
    for (let n = 1; n <= 5; n++) await world.send(added, { place: 'p', key: 'held', n })
    const refused = world.facts.refused
    await until('two tries', () => world.facts.refused >= refused + 2)
    expect(await world.toy('held')).to.equal(undefined)
    world.facts.away = false
    await until('the batch that was held', async () => (await count('held')) === 5)
  })

  it('delivers a reminder once, when it is due, and not one that was replaced', async () => {
    await world.send(timed, { place: 'p', key: 'bell', n: 60_000 })
    await world.send(timed, { place: 'p', key: 'bell', n: 200 })
    await until('the reminder', async () => (await count('bell')) === 1)
    expect((await world.toy('bell'))!.seen).to.deep.equal([200])
    expect((await world.store.pool.query('select from reminder where org_id = $1', [world.org])).rowCount).to.equal(0)
  })

  it('works out a marked key anew, and forgets the mark', async () => {
    await world.send(marked, { place: 'p', key: 'm1', n: 1 })
    await until('the projection', () => projected.some((p) => p.orgId === world.org && p.key === 'm1'))
    await until(
      'no marks',
      async () => (await world.store.pool.query('select from mark where org_id = $1', [world.org])).rowCount === 0,
    )
  })

  it('makes the calls a turn asked for, again while they may succeed, and reports the one it gives up', async () => {
    for (const n of [0, 1, 2, 0]) await world.send(called, { place: 'p', key: 'caller', n })
    await until(
      'all calls',
      async () =>
        (await world.store.pool.query('select from effect where org_id = $1', [world.org])).rowCount === 0 &&
        calls.length >= 4,
    )
    expect(calls.filter(({ input }) => (input as { n: number }).n === 1).map(({ attempt }) => attempt)).to.deep.equal([
      1, 2,
    ])
    expect(failed).to.deep.equal([`toy-${world.org}-2`])
  })

  it('counts messages, turns, commits and dead letters in the Prometheus format', async () => {
    const text = await world.meter.registry.metrics()
    for (const name of [
      'tidemark_messages_total',
      'tidemark_turns_total',
      'tidemark_commit_seconds_bucket',
      'tidemark_dead_letters_total',
      'tidemark_lane_lag_messages',
      'tidemark_activations',
    ])
      expect(text).to.match(new RegExp(`^${name}\\{.*\\} \\d`, 'm'))
  })

  it('keeps the remembered answer for a command that was sent twice', async () => {
    const ask = { place: orgWide, key: 'twice', n: 4 }
    const [a, b] = await Promise.all([world.asker.ask(asked, world.org, ask), world.asker.ask(asked, world.org, ask)])
    expect([a, b]).to.deep.include.members([{ total: 4 }, { total: 8 }])
    expect(taken.once).to.equal(true)
  })

  it('answers all who ask for one thing under one id at once, alike, and does it once', async () => {
    const ask = { place: orgWide, key: 'together', n: 4 }
    const id = randomUUID()
    const all = await Promise.all([1, 2, 3].map(() => world.asker.ask(asked, world.org, ask, id)))
    expect(all).to.deep.equal([{ total: 4 }, { total: 4 }, { total: 4 }])
    expect(await world.asker.ask(asked, world.org, ask, id)).to.deep.equal({ total: 4 })
  })

  it('forgets a command that came too late, so that it may be asked for again under its id', async () => {
    const data = { place: orgWide, key: 'late', n: 4 }
    const id = randomUUID()
    const inbox = `_TEST.late.${id}`
    const answers = world.connection.subscribe(inbox, { max: 1 })
    const time = new Date().toISOString()
    await world.log.publish({
      subject: ingestSubject(asked.kind, world.org, orgWide),
      id: randomUUID(),
      headers: { [header.reply]: inbox, [header.deadline]: new Date(0).toISOString() },
      body: JSON.stringify({ id, type: asked.name, schemaVersion: 1, orgId: world.org, time, data }),
    })
    for await (const answer of answers) expect(answer.string()).to.include('The command arrived after its deadline.')
    expect(await world.toy('late')).to.equal(undefined)
    expect(await world.asker.ask(asked, world.org, data, id)).to.deep.equal({ total: 4 })
  })
})
