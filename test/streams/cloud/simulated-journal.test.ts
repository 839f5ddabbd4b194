import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { ActionKind, CloudAccount, ResourceRef } from '#streams/cloud/connector.ts'
import { simulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { Ledger } from '#streams/cloud/simulated/state/ledger.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const now = new Date('2026-03-16T10:30:00Z')
const account: CloudAccount = {
  id: 'acct-1',
  orgId: 'org',
  provider: 'aws',
  externalId: '1',
  name: '',
  regions: [],
  credentials: null,
}
const machine = (n: number): ResourceRef => ({ resourceUid: `i-${n}`, type: 'aws-ec2', region: 'us-east-1' })
const opened = (folder: string) =>
  simulatedCloud({ seed: 'tidemark', now: () => now, sleep: () => Promise.resolve(), folder })
const act = (sim: ReturnType<typeof opened>, id: string, kind: ActionKind, n: number) =>
  sim.act(account, { id, kind, resource: machine(n) })

const acting = fileURLToPath(new URL('acting.ts', import.meta.url))
const child = (folder: string, first: number, count: number): ChildProcess =>
  spawn(process.execPath, [acting, folder, String(first), String(count)], { stdio: ['ignore', 'pipe', 'inherit'] })

/** The numbers it says, up to `max` of them. */
async function said(process: ChildProcess, max = Infinity): Promise<string[]> {
  let text = ''
  for await (const piece of process.stdout!) {
    text += String(piece)
    if (text.split('\n').length > max) break
  }
  return text.split('\n').slice(0, -1)
}

describe('simulated cloud: journal', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'simulated-cloud-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('has every act that was answered once after its process was killed in the middle of hundreds', async function () {
    this.timeout(180_000)
    const [early, count] = [amount(30, 300, 1000), 4900]
    // Far too many to be done before the signal reaches it.
    const killed = child(folder, 0, count)
    const answered = await said(killed, early)
    const ended = once(killed, 'exit')
    killed.kill('SIGKILL')
    await ended
    const acts = () =>
      opened(folder)
        .callsSince()
        .calls.filter(({ repeated }) => !repeated)
    const before = acts()
    expect(before.map(({ id }) => id)).to.include.members(answered.map((n) => `a-${n}`))
    expect(before.length).to.be.within(early, count - 1)
    const next = opened(folder)
    const all = before.length + 50
    for (let n = 0; n < all; n += 1) await act(next, `a-${n}`, n % 2 === 0 ? 'stop' : 'start', n % 10)
    const ids = acts().map(({ id }) => id)
    expect(ids).to.deep.equal(Array.from({ length: all }, (_, n) => `a-${n}`))
    expect(
      opened(folder)
        .callsSince()
        .calls.filter(({ repeated }) => repeated),
    ).to.have.length(before.length)
  })

  deepIt(
    'lets two processes that act under the same ids at once have each effect once, and both know all of it',
    async function () {
      this.timeout(180_000)
      const count = amount(200, 600, 6000)
      const [one, other] = [child(folder, 0, count), child(folder, 0, count)]
      await Promise.all([said(one), said(other)])
      const { calls } = opened(folder).callsSince()
      const effects = calls.filter(({ repeated }) => !repeated).map(({ id }) => id)
      expect(calls).to.have.length(2 * count)
      expect(effects).to.have.members(Array.from({ length: count }, (_, n) => `a-${n}`))
      expect(new Set(effects).size).to.equal(count)
    },
  )

  deepIt('strikes as often as planned over all processes, whoever planned it', async function () {
    this.timeout(180_000)
    const sim = opened(folder)
    sim.faults.set({ faults: [{ call: 'stop', error: 'transient', times: 60 }] })
    const [one, other] = [child(folder, 0, 200), child(folder, 1000, 200)]
    const answers = (await Promise.all([said(one), said(other)])).flat()
    expect(answers.filter((text) => text.startsWith('refused'))).to.have.length(60)
    expect(sim.faults.planned).to.deep.equal([])
    expect(sim.calls.filter(({ outcome }) => outcome === 'transient')).to.have.length(60)
  })

  it('lets a second cloud of the folder see what the first has switched before it answers', async () => {
    const [first, second] = [opened(folder), opened(folder)]
    await act(first, 'a', 'stop', 1)
    expect((await second.look(account, machine(1))).status).to.equal('stopped')
    expect(await act(second, 'a', 'stop', 1)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect(first.calls.map(({ call, repeated }) => [call, repeated])).to.deep.equal([
      ['stop', undefined],
      ['look', undefined],
      ['stop', true],
    ])
  })

  it('skips the last line of a dead process that has no end, and keeps the line behind it', async () => {
    const sim = opened(folder)
    await act(sim, 'a', 'stop', 1)
    appendFileSync(path.join(folder, 'simulated-cloud.jsonl'), '\n{"by":"x","at":"2026-03-16T10:30:0')
    await act(sim, 'b', 'stop', 2)
    const again = opened(folder)
    expect(again.callsSince().calls.map(({ id }) => id)).to.deep.equal(['a', 'b'])
    expect((await again.look(account, machine(2))).status).to.equal('stopped')
  })

  it('tells the calls behind a cursor and since a moment', async () => {
    const sim = opened(folder)
    await act(sim, 'a', 'stop', 1)
    const { next } = sim.callsSince()
    expect(sim.callsSince(next)).to.deep.equal({ calls: [], next })
    await act(sim, 'b', 'start', 1)
    const call = { call: 'start', cloudAccountId: 'acct-1', resourceUid: 'i-1', id: 'b', outcome: 'ok', at: now }
    expect(sim.callsSince(next).calls).to.deep.equal([call])
    expect(sim.callsSince(now).calls.map(({ id }) => id)).to.deep.equal(['a', 'b'])
    expect(sim.callsSince(new Date(now.getTime() + 1)).calls).to.deep.equal([])
  })

  it('is written shorter when it has grown too large, without losing what was switched, outcomes or the plan, under a process that goes on', async () => {
    const sim = opened(folder)
    sim.faults.set({ faults: [{ call: 'pause', error: 'transient', times: 3 }] })
    const paused = async (cloud: typeof sim) =>
      cloud.act(account, { id: 'p', kind: 'pause', resource: machine(9) }).catch(() => 'struck')
    expect(await paused(sim)).to.equal('struck')
    for (let n = 0; n < 20; n += 1) await act(sim, `a-${n}`, n < 10 ? 'stop' : 'start', n % 10)
    for (let n = 0; n < 200; n += 1) await sim.look(account, machine(1))
    await act(sim, 'last', 'stop', 3)
    const { size } = statSync(path.join(folder, 'simulated-cloud.jsonl'))
    new Ledger(folder, size - 1).close()
    expect(readdirSync(folder)).to.deep.equal(['simulated-cloud.1.jsonl'])
    expect(statSync(path.join(folder, 'simulated-cloud.1.jsonl')).size).to.be.below(size / 2)
    const other = opened(folder)
    expect(await paused(sim)).to.equal('struck')
    expect(await paused(other)).to.equal('struck')
    expect(other.faults.planned).to.deep.equal([])
    expect([
      (await sim.look(account, machine(3))).status,
      (await other.look(account, machine(4))).status,
    ]).to.deep.equal(['stopped', 'running'])
    expect(await act(sim, 'a-3', 'stop', 4)).to.deep.equal({ status: 'succeeded', observedState: 'stopped' })
    expect((await other.look(account, machine(4))).status).to.equal('running')
    expect(other.callsSince('0.5').calls.map(({ call }) => call)).to.deep.equal([
      'pause',
      'pause',
      'look',
      'look',
      'stop',
      'look',
    ])
  })

  describe('when another process writes between the look and the line', () => {
    const change = { asked: 1, at: 1, running: false }
    const effect = { account: 'acct-1', uid: 'i-1', id: 'a', change, outcome: { status: 'succeeded' } } as const
    const stop = { call: 'stop', cloudAccountId: 'acct-1', resourceUid: 'i-1' } as const

    it('has an effect once: who comes second looks again and finds it done', () => {
      const [one, other] = [new Ledger(folder), new Ledger(folder)]
      const act = (ledger: Ledger, between = () => {}) =>
        ledger.note(() => {
          const isDone = ledger.outcomeOf('acct-1', 'a') !== undefined
          if (!isDone) between()
          return { isDone, entry: { at: now, ...(!isDone && { effect }) } }
        }).isDone
      const seen: boolean[] = []
      expect([act(one, () => seen.push(act(other))), ...seen]).to.deep.equal([true, false])
      expect(one.log.changes('acct-1', 'i-1')).to.deep.equal([change])
      expect(new Ledger(folder).log.changes('acct-1', 'i-1')).to.deep.equal([change])
    })

    it('strikes with the last time of a fault once', () => {
      const [one, other] = [new Ledger(folder), new Ledger(folder)]
      one.note(() => ({ entry: { at: now, plan: [{ call: 'stop', error: 'timeout', times: 1 }] } }))
      const strike = (ledger: Ledger, between = () => {}) =>
        ledger.note(() => {
          const { struck, error } = ledger.aimAt(stop)
          if (struck) between()
          const call = { ...stop, outcome: error ? ('transient' as const) : ('ok' as const) }
          return { error, entry: { at: now, call, ...(struck && { struck }) } }
        }).error
      const seen: (string | undefined)[] = []
      expect([strike(one, () => seen.push(strike(other))), ...seen]).to.deep.equal([undefined, 'timeout'])
      expect(one.callsSince().calls.map(({ outcome }) => outcome)).to.deep.equal(['transient', 'ok'])
    })

    it('writes into the next file what it had meant for one that is sealed by then', () => {
      const one = new Ledger(folder)
      let times = 0
      one.note(() => {
        times += 1
        if (times === 1) new Ledger(folder, -1).close()
        return { entry: { at: now, effect } }
      })
      expect(times).to.equal(2)
      expect(readdirSync(folder)).to.deep.equal(['simulated-cloud.1.jsonl'])
      expect(new Ledger(folder).log.changes('acct-1', 'i-1')).to.deep.equal([change])
    })
  })
})
