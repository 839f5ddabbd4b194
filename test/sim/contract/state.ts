/** What the engine counts on in its state store. */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { DataRefused, type Commit, type EffectClaim, type EffectRow, type Lease } from '#engine/actor/ports.ts'
import type { ReminderRow } from '#engine/actor/ports.ts'
import { markContract } from '#test/sim/contract/mark.ts'
import { refusal, type Kit, type Process } from '#test/sim/kits.ts'

const nothing: Omit<Commit, 'lease' | 'from' | 'to' | 'clock'> = {
  begun: { seq: 0, done: 0 },
  apart: { seq: 0, done: 0 },
  rows: [],
  outbox: [],
  reminders: [],
  forgotten: [],
  marks: [],
  effects: [],
  inbox: [],
  written: [],
  dead: [],
}

/** `opened` gives the ports under test once they are there. */
export function stateContract(opened: () => Kit): void {
  let kit: Kit
  let org: string
  const processes: Process[] = []
  beforeEach(() => {
    kit = opened()
    org = `org-${randomUUID()}`
  })
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.close()))
  })

  const process = (options?: Parameters<Kit['process']>[0]): Process => {
    const opened = kit.process(options)
    processes.push(opened)
    return opened
  }
  const die = (store: Process): Promise<void> => processes.splice(processes.indexOf(store), 1)[0]!.close()
  const owner = async (): Promise<[Process, Lease]> => {
    const store = process()
    return [store, (await store.acquire(await kit.freshLane()))!]
  }
  const commit = async (store: Process, lease: Lease, what: Partial<Commit>): Promise<boolean> => {
    const to = what.to ?? lease.cursor + 1
    const moved = await store.commit({ ...nothing, lease, from: lease.cursor, to, clock: 5, ...what })
    if (moved) lease.cursor = to
    return moved
  }

  describe('lanes', () => {
    it('are free until somebody acquires them, and nobody else gets them then', async () => {
      const lane = await kit.freshLane()
      const [one, other] = [process(), process()]
      expect(await one.free()).to.include(lane)
      expect(await one.acquire(lane)).to.deep.equal({
        lane,
        epoch: 1,
        cursor: 0,
        clock: 0,
        ends: 0,
        suspectUntil: 0,
        apart: { seq: 0, done: 0 },
      })
      expect(await one.free()).to.not.include(lane)
      expect(await other.free()).to.not.include(lane)
      expect(await other.acquire(lane)).to.equal(undefined)
    })

    it('can be had again once they are released, in the next epoch, from the cursor they were left at', async () => {
      const [one, lease] = await owner()
      await commit(one, lease, { to: 7, clock: 70 })
      await one.release(lease)
      expect(await process().acquire(lease.lane)).to.deep.equal({
        ...lease,
        epoch: 2,
        cursor: 7,
        clock: 70,
      })
    })

    it('can be had the moment their owner is gone, and remember how many have ended until the place is passed', async () => {
      const first = await owner()
      let [last, lease] = first
      const seen: (readonly [ends: number, suspectUntil: number])[] = []
      const next = async (...work: ((lease: Lease) => Promise<unknown>)[]) => {
        for (const one of work) await one(lease)
        await die(last)
        last = process()
        await until(async () => (await last.free()).includes(lease.lane))
        lease = (await last.acquire(lease.lane))!
        seen.push([lease.ends, lease.suspectUntil])
      }
      const commitTo = (to: number) => (lease: Lease) => commit(last, lease, { to })
      await next(commitTo(3))
      await next(commitTo(10))
      await next(commitTo(20))
      await next((own) => last.suspect(own, 25))
      await next(commitTo(24))
      await next(commitTo(25))
      expect(seen).to.deep.equal([
        [1, 10_003],
        [2, 10_003],
        [3, 10_003],
        [4, 25],
        [5, 25],
        [1, 10_025],
      ])
      await last.release(lease)
      await next(async () => (lease = (await last.acquire(lease.lane))!))
      expect(seen.at(-1)).to.deep.equal([2, 10_025])
    })

    it('suspect nothing of an owner that gave them up or came back to them, and forget nothing by it', async () => {
      const [one, lease] = await owner()
      await commit(one, lease, { to: 3 })
      await one.release(lease)
      const two = process()
      const clean = (await two.acquire(lease.lane))!
      expect([clean.ends, clean.suspectUntil]).to.deep.equal([0, 0])
      await die(two)
      const three = process()
      await until(async () => (await three.free()).includes(lease.lane))
      const suspected = (await three.acquire(lease.lane))!
      expect([suspected.ends, suspected.suspectUntil]).to.deep.equal([1, 10_003])
      await three.release(suspected)
      const four = (await process().acquire(lease.lane))!
      expect([four.ends, four.suspectUntil]).to.deep.equal([1, 10_003])
    })

    it('are taken from an owner that does not renew its lease: it loses its session and hears of it', async () => {
      const lost = Promise.withResolvers<void>()
      const hung = process({ leaseMs: 100, onLeaseLost: lost.resolve })
      const lane = await kit.freshLane()
      const lease = (await hung.acquire(lane))!
      await wait(150)
      const other = process()
      expect(await other.free()).to.include(lane)
      expect(await other.acquire(lane)).to.equal(undefined)
      await lost.promise
      await until(async () => (await other.acquire(lane))?.epoch === 2)
      expect(await commit(hung, lease, {})).to.equal(false)
      expect(await hung.renew([lease])).to.deep.equal(new Set())
    })

    it('stay with an owner that renews its lease', async () => {
      // Where a busy machine did not renew it in time, with twice the time.
      for (let leaseMs = 300, isInTime = false; !isInTime; leaseMs *= 2) {
        const keeper = process({ leaseMs })
        const lane = await kit.freshLane()
        isInTime = true
        let renewedAt = performance.now()
        const within = <T>(value: T): T => {
          isInTime &&= performance.now() - renewedAt < leaseMs
          return value
        }
        const lease = (await keeper.acquire(lane))!
        const renewed: Set<number>[] = []
        for (let i = 0; i < 4; i++) {
          await wait(leaseMs / 3)
          const began = performance.now()
          renewed.push(within(await keeper.renew([lease])))
          renewedAt = began
        }
        const free = within(await process().free())
        if (!isInTime) continue
        expect(renewed).to.deep.equal(Array.from({ length: 4 }, () => new Set([lane])))
        expect(free).to.not.include(lane)
      }
    })

    it('are shared by the processes that say they live: those that leave or die do not count', async () => {
      const [one, two, three] = [process(), process(), process()]
      await one.beat()
      const alone = await one.live()
      await Promise.all([two.beat(), three.beat()])
      expect(await one.live()).to.equal(alone + 2)
      await two.leave()
      expect(await one.live()).to.equal(alone + 1)
      await die(three)
      await until(async () => (await one.live()) === alone)
    })
  })

  describe('commits', () => {
    it('are refused, whole, from an old epoch and from another cursor', async () => {
      const [one, lease] = await owner()
      await one.release(lease)
      const two = process()
      const next = (await two.acquire(lease.lane))!
      const outbox = [{ id: `o-${org}`, subject: 's', headers: {}, body: 'b' }]
      expect(await commit(one, lease, { outbox })).to.equal(false)
      expect(await commit(two, next, { from: 1, to: 2, outbox })).to.equal(false)
      expect(await two.outbox(lease.lane, 10)).to.deep.equal([])
      expect(await commit(two, next, {})).to.equal(true)
    })

    it('that hold a value no column takes, or an id that is there already, are refused whole; others go on', async () => {
      const [store, lease] = await owner()
      const rows = [
        { shape: kit.shape, upserts: [{ org, place: 'p', key: 'k', count: 2 ** 40, at: null }], deletes: [] },
      ]
      const outbox = [{ id: `o-${org}`, subject: 's', headers: {}, body: 'b' }]
      expect(await refusal(commit(store, lease, { rows, outbox }))).to.be.instanceOf(DataRefused)
      expect(await store.outbox(lease.lane, 10)).to.deep.equal([])
      expect(await commit(store, lease, { outbox })).to.equal(true)
      expect(await refusal(commit(store, lease, { outbox }))).to.be.instanceOf(DataRefused)
      expect(await commit(store, lease, {})).to.equal(true)
    })

    it('remember ids with their replies, lane by lane, until they are pruned', async () => {
      const [store, lease] = await owner()
      const inbox = [
        { id: `${org}/a`, reply: { ok: true, value: { n: 1 } } },
        { id: `${org}/b`, reply: { ok: true, value: null } },
      ]
      await commit(store, lease, { inbox })
      const ids = [`${org}/a`, `${org}/b`, `${org}/c`]
      expect(await store.seen(lease.lane, ids)).to.deep.equal(new Map(inbox.map(({ id, reply }) => [id, reply])))
      expect(await store.seen(await kit.freshLane(), ids)).to.deep.equal(new Map())
      await store.prune(60_000)
      expect((await store.seen(lease.lane, ids)).size).to.equal(2)
      await wait(20)
      await store.prune(5)
      expect((await store.seen(lease.lane, ids)).size).to.equal(0)
    })

    it('hold messages to publish, in order, until they are sent', async () => {
      const [store, lease] = await owner()
      const row = (id: string) => ({ id: `${id}-${org}`, subject: 's', headers: { h: id }, body: `body of ${id}` })
      await commit(store, lease, { outbox: [row('z'), row('y')] })
      await commit(store, lease, { outbox: [row('x')] })
      expect(await store.outbox(lease.lane, 2)).to.deep.equal([row('z'), row('y')])
      await store.sent([row('z').id, row('x').id, 'unheard'])
      expect(await store.outbox(lease.lane, 10)).to.deep.equal([row('y')])
      await store.sent([row('y').id])
    })
  })

  describe('reminders', () => {
    it('stand from the commit that sets them to the one that forgets or replaces them', async () => {
      const [store, lease] = await owner()
      const key = (k: string) => ({ kind: 'toy', orgId: org, place: 'p', key: k, name: 'bell' })
      const set = (k: string, due: number): ReminderRow => ({ ...key(k), due, subject: 'toy.rang', data: { n: due } })
      expect(await store.nextReminder(lease.lane)).to.equal(undefined)
      await commit(store, lease, { reminders: [set('a', 3000), set('b', 2000), set('c', 9000)] })
      expect(await store.nextReminder(lease.lane)).to.equal(2000)
      expect(await store.dueReminders(lease.lane, 3000, 10)).to.deep.equal([set('b', 2000), set('a', 3000)])
      expect(await store.dueReminders(lease.lane, 3000, 1)).to.deep.equal([set('b', 2000)])
      await commit(store, lease, { reminders: [set('a', 5000)], forgotten: [key('b'), key('d')] })
      expect(await store.standing(['b', 'a', 'd', 'c'].map(key))).to.deep.equal([undefined, 5000, undefined, 9000])
      expect(await store.nextReminder(lease.lane)).to.equal(5000)
    })
  })

  markContract({ commit, freshLane: () => kit.freshLane(), org: () => org, owner })

  describe('effects', () => {
    const mine = (rows: EffectRow[]) => rows.filter(({ orgId }) => orgId === org)
    const effect = () => ({ key: `e-${org}`, name: 'toy', orgId: org, input: { n: 1 } })
    const claim = (names: string[], claimMs: number): EffectClaim => ({
      names,
      max: 100,
      orgMax: 100,
      begun: new Map(),
      claimMs,
    })

    it('are claimed by one process at a time, and by another when its claim has run out', async () => {
      const [one, lease] = await owner()
      const two = process()
      await commit(one, lease, { effects: [effect()] })
      await commit(one, lease, { effects: [{ ...effect(), input: { n: 2 } }] })
      expect(mine(await one.claimEffects(claim(['other'], 150))), 'of another name').to.deep.equal([])
      expect(mine(await one.claimEffects(claim(['other', 'toy'], 150)))).to.deep.equal([{ ...effect(), attempts: 1 }])
      // Held for longer than it was claimed for.
      await one.holdEffects([effect().key], 60_000)
      await wait(200)
      expect(mine(await two.claimEffects(claim(['toy'], 60_000)))).to.deep.equal([])
      await one.holdEffects([effect().key], -1000)
      expect(mine(await two.claimEffects(claim(['toy'], 60_000)))).to.deep.equal([{ ...effect(), attempts: 2 }])
      await one.doneEffects([effect().key])
      await one.retryEffect(effect().key, 0, 'not mine any more')
      expect(mine(await one.claimEffects(claim(['toy'], 100)))).to.deep.equal([])
      await two.doneEffects([effect().key])
    })

    it('are removed by the process whose claim they are, and by none that lost it', async () => {
      const [one, lease] = await owner()
      const two = process()
      const [name, lasting] = [`lost-${org}`, 60_000]
      await commit(one, lease, { effects: [{ ...effect(), name }] })
      // The claim of the first has run out as soon as it has it.
      expect(await one.claimEffects(claim([name], -1000))).to.have.length(1)
      expect(await two.claimEffects(claim([name], lasting))).to.have.length(1)
      await one.doneEffects([effect().key])
      await one.holdEffects([effect().key], -1000)
      expect(await one.claimEffects(claim([name], lasting)), 'held by the second').to.deep.equal([])
      await two.retryEffect(effect().key, 0, 'later')
      const [left] = await two.claimEffects(claim([name], -1000))
      expect(left).to.deep.equal({ ...effect(), name, attempts: 3 })
      await two.doneEffects([effect().key])
      expect(await two.claimEffects(claim([name], lasting))).to.deep.equal([])
    })

    it('of a work that is queued are claimed by room: one party asked for much leaves others theirs', async () => {
      const [store, lease] = await owner()
      const name = `queued-${org}`
      const row = (orgId: string, queue: string, n: number): EffectRow => ({
        key: `${orgId}/${queue}/${n}`,
        name,
        orgId,
        input: n,
        queue,
      })
      const [one, two] = [`a-${org}`, `b-${org}`]
      await commit(store, lease, { effects: [1, 2, 3, 4, 5].map((n) => row(one, 'x', n)) })
      await commit(store, lease, { effects: [row(one, 'y', 1), row(two, 'x', 1), row(two, 'x', 2)] })
      const keys = async (room: [string, string, number][], max = 9, orgMax = 9) => {
        const rooms = room.map(([orgId, queue, left]) => ({ orgId, queue, room: left }))
        const queues = { roomMax: 2, rooms, orgBegun: 0 }
        const claimed = await store.claimEffects({ ...claim([name], 60_000), max, orgMax, queues })
        return claimed.map((found) => `${found.key} ${found.queue}`).toSorted()
      }
      expect(await keys([[one, 'x', 0]], 1)).to.have.length(1)
      const left = await keys([
        [one, 'x', 3],
        [two, 'x', 0],
      ])
      expect(left.filter((key) => key.startsWith(`${one}/x/`))).to.deep.equal([1, 2, 3].map((n) => `${one}/x/${n} x`))
      expect(left.filter((key) => key.startsWith(two))).to.deep.equal([])
      expect(await keys([], 9, 1), 'one of each organization').to.have.length(2)
      const rest = [...(await keys([])), ...(await keys([]))]
      expect(rest.every((key) => key.endsWith(' x'))).to.equal(true)
      expect(await store.waitingEffects([name])).to.deep.equal([])
    })

    it('are claimed by organizations in turn, oldest first, and no more of one than it may have with those begun', async () => {
      const [store, lease] = await owner()
      const name = `fair-${org}`
      const row = (orgId: string, n: number): EffectRow => ({ key: `${orgId}/${n}`, name, orgId, input: n })
      const [many, few] = [`a-${org}`, `b-${org}`]
      await commit(store, lease, { effects: [1, 2, 3, 4, 5].map((n) => row(many, n)) })
      await wait(10)
      await commit(store, lease, { effects: [1, 2].map((n) => row(few, n)) })
      expect(await store.effectLag([name]))
        .to.be.greaterThan(0.005)
        .and.lessThan(60)
      expect((await store.waitingEffects([name, 'nothing'])).toSorted()).to.deep.equal([name])
      const keys = async (max: number, orgMax: number, begun: [string, number][] = []) => {
        const claimed = await store.claimEffects({ ...claim([name], 60_000), max, orgMax, begun: new Map(begun) })
        return claimed.map(({ key }) => key).toSorted()
      }
      expect(await keys(3, 9)).to.deep.equal([`${many}/1`, `${many}/2`, `${few}/1`])
      expect(
        await keys(9, 3, [
          [many, 2],
          [few, 1],
        ]),
        'one of each',
      ).to.deep.equal([`${many}/3`, `${few}/2`])
      expect(await keys(9, 3, [[many, 3]])).to.deep.equal([])
      expect(await keys(9, 9)).to.deep.equal([`${many}/4`, `${many}/5`])
      expect(await store.waitingEffects([name])).to.deep.equal([])
      expect(await store.effectLag([name])).to.equal(0)
    })

    it('are claimed again after the pause of a retry, and never once they are done', async () => {
      const [store, lease] = await owner()
      await commit(store, lease, { effects: [effect()] })
      await store.claimEffects(claim(['toy'], 60_000))
      await store.retryEffect(effect().key, 200, 'later')
      expect(mine(await store.claimEffects(claim(['toy'], 60_000)))).to.deep.equal([])
      await wait(250)
      expect(mine(await store.claimEffects(claim(['toy'], 1)))).to.deep.equal([{ ...effect(), attempts: 2 }])
      await store.doneEffects([effect().key])
      await wait(10)
      expect(mine(await store.claimEffects(claim(['toy'], 1)))).to.deep.equal([])
    })
  })
}

/** Waits for what a server needs a moment for. @throws after five seconds */
async function until(check: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 250; i++) {
    if (await check()) return
    await wait(20)
  }
  throw new Error('waited five seconds in vain')
}
