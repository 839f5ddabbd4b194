import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { CallOutcome } from '#streams/cloud/call/meter.ts'
import { Caller, type CallRules, type Door } from '#streams/cloud/call/call.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'

const door: Door = { provider: 'aws', account: 'acct-1', service: 'ec2', region: 'eu-west-1' }

/** What the stand-in of a cloud throws is the fault itself. */
const asIs = (error: unknown): Fault => error as Fault
const throttled = cloudFault('transient', 'throttled', 'slower')
const down = cloudFault('transient', 'cloud_unavailable', 'down')
const busy = cloudFault('transient', 'busy', 'later')
const denied = cloudFault('user_action', 'permission_missing', 'no')

function calling({ rules = {}, random = () => 0.5 }: { rules?: Partial<CallRules>; random?: () => number } = {}) {
  const clock = new VirtualClock(0)
  const made: CallOutcome[] = []
  const caller = new Caller({
    clock,
    random,
    meter: { made: (_, outcome) => made.push(outcome) },
    rules: { perSecond: 1000, burst: 1000, ...rules },
  })
  return { clock, caller, made }
}

/** Fails so often with these, one after the other, then answers. Notes when it was asked. */
function failing(clock: VirtualClock, faults: readonly Fault[]) {
  const at: number[] = []
  const left = [...faults]
  const ask = async () => {
    at.push(clock.now())
    const fault = left.shift()
    if (fault) throw fault
    return 'answer'
  }
  return { at, ask }
}

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => (error instanceof Fault ? error.code : `no fault: ${String(error)}`),
  )

describe('calls to clouds', () => {
  it('are as many at once as the burst, then as many a second as the rate, in the order of asking', async () => {
    const { clock, caller } = calling({ rules: { perSecond: 10, burst: 5 } })
    const at: number[] = []
    const order: number[] = []
    const ask = (n: number) => async () => {
      at.push(clock.now())
      order.push(n)
    }
    await Promise.all(Array.from({ length: 10 }, (_, n) => caller.call(door, ask(n), asIs)))
    expect(at).to.deep.equal([0, 0, 0, 0, 0, 100, 200, 300, 400, 500])
    expect(order).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  it('wait at their own door alone: another service, region or account has its own', async () => {
    const { clock, caller } = calling({ rules: { perSecond: 1, burst: 1 } })
    const doors = [door, { ...door, service: 'rds' }, { ...door, region: 'us-east-1' }, { ...door, account: 'acct-2' }]
    await Promise.all(doors.map((one) => caller.call(one, async () => 1, asIs)))
    expect(clock.now()).to.equal(0)
    await caller.call(door, async () => 1, asIs)
    expect(clock.now()).to.equal(1000)
  })

  it('are tried four times with a pause of 0 to 200 ms that doubles each time, and no longer than the longest', async () => {
    const { clock, caller, made } = calling({ random: () => 0.5 })
    const { at, ask } = failing(clock, [throttled, throttled, throttled, throttled, throttled])
    expect(await codeOf(caller.call(door, ask, asIs))).to.equal('throttled')
    expect(at).to.deep.equal([0, 100, 300, 700])
    expect(made).to.deep.equal(['throttled', 'throttled', 'throttled', 'throttled'])

    const long = calling({ random: () => 1, rules: { tries: 4, pausesMs: { first: 200, doubledTo: 300 } } })
    const other = failing(long.clock, [throttled, throttled, throttled])
    expect(await long.caller.call(door, other.ask, asIs)).to.equal('answer')
    expect(other.at).to.deep.equal([0, 200, 500, 800])
    expect(long.made.at(-1)).to.equal('ok')
  })

  it('are asked once where they are refused, and where asking twice may do it twice', async () => {
    const { clock, caller, made } = calling()
    const refused = failing(clock, [denied])
    expect(await codeOf(caller.call(door, refused.ask, asIs))).to.equal('permission_missing')
    const changing = failing(clock, [throttled])
    expect(await codeOf(caller.call(door, changing.ask, asIs, { repeatable: false }))).to.equal('throttled')
    expect([refused.at.length, changing.at.length]).to.deep.equal([1, 1])
    expect(made).to.deep.equal(['refused', 'throttled'])
  })

  it('repeat no more than a tenth of the calls of the last minute, and at least ten times a minute', async () => {
    const { clock, caller, made } = calling({ random: () => 0 })
    const never = failing(
      clock,
      Array.from({ length: 10_000 }, () => throttled),
    )
    for (let n = 0; n < 50; n++) await codeOf(caller.call(door, never.ask, asIs))
    // 50 calls: a tenth of them are five, so the ten of every minute count.
    expect(made.length).to.equal(60)
    const well = failing(clock, [])
    for (let n = 0; n < 150; n++) await caller.call(door, well.ask, asIs)
    for (let n = 0; n < 100; n++) await codeOf(caller.call(door, never.ask, asIs))
    // 300 calls in all: 30 repeats.
    expect(made.length).to.equal(330)
    await clock.sleep(60_000)
    for (let n = 0; n < 10; n++) await codeOf(caller.call(door, never.ask, asIs))
    expect(made.length).to.equal(330 + 10 + 10)
  })

  it('are not made for 30 s where five failed in a row, then by one call alone until that is answered', async () => {
    const { clock, caller, made } = calling({ rules: { tries: 1 } })
    const { at, ask } = failing(clock, [down, down, down, down, down, down])
    for (let n = 0; n < 5; n++) expect(await codeOf(caller.call(door, ask, asIs))).to.equal('cloud_unavailable')
    expect(await codeOf(caller.call(door, ask, asIs))).to.equal('cloud_unreachable')
    expect(await codeOf(caller.call({ ...door, region: 'us-east-1' }, async () => 1, asIs))).to.equal('answered')

    await clock.sleep(30_000)
    const several = [1, 2, 3].map(() => codeOf(caller.call(door, ask, asIs)))
    expect(await Promise.all(several)).to.deep.equal(['cloud_unavailable', 'cloud_unreachable', 'cloud_unreachable'])
    expect(await codeOf(caller.call(door, ask, asIs))).to.equal('cloud_unreachable')

    await clock.sleep(30_000)
    expect(await codeOf(caller.call(door, ask, asIs))).to.equal('answered')
    expect(await codeOf(caller.call(door, ask, asIs))).to.equal('answered')
    expect(at).to.deep.equal([0, 0, 0, 0, 0, 30_000, 60_000, 60_000])
    expect(made.filter((one) => one === 'failed').length).to.equal(6)
  })

  it('wait for the one that tries, and are made once it is answered', async () => {
    const { clock, caller } = calling({ rules: { tries: 1 } })
    const { at, ask } = failing(clock, [down, down, down, down, down])
    for (let n = 0; n < 5; n++) await codeOf(caller.call(door, ask, asIs))
    await clock.sleep(30_000)
    const trial = Promise.withResolvers<string>()
    const asked: string[] = []
    const calls = ['first', 'second', 'third'].map((name) =>
      codeOf(
        caller.call(
          door,
          async () => {
            asked.push(name)
            return name === 'first' ? trial.promise : name
          },
          asIs,
        ),
      ),
    )
    const stop = new AbortController()
    const stopped = caller.call(door, ask, asIs, { signal: stop.signal }).catch((error: Error) => error.message)
    stop.abort(new Error('enough'))
    expect(await stopped).to.equal('enough')
    expect(asked).to.deep.equal(['first'])
    trial.resolve('answer')
    expect(await Promise.all(calls)).to.deep.equal(['answered', 'answered', 'answered'])
    expect(asked).to.deep.equal(['first', 'second', 'third'])
    expect(at.length).to.equal(5)
  })

  it('try again by another one where the one that tries is stopped by its asker', async () => {
    const { clock, caller } = calling({ rules: { tries: 1 } })
    const { ask } = failing(clock, [down, down, down, down, down])
    for (let n = 0; n < 5; n++) await codeOf(caller.call(door, ask, asIs))
    await clock.sleep(30_000)
    const stop = new AbortController()
    const never = (signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
    const first = caller.call(door, never, asIs, { signal: stop.signal }).catch((error: Error) => error.message)
    const second = codeOf(caller.call(door, ask, asIs))
    stop.abort(new Error('enough'))
    expect([await first, await second]).to.deep.equal(['enough', 'answered'])
  })

  it('are made again after an answer that cannot be read, unless that may do it twice', async () => {
    const unread = cloudFault('system', 'unknown_answer', 'cannot be read')
    const { clock, caller } = calling()
    const again = failing(clock, [unread])
    expect(await codeOf(caller.call(door, again.ask, asIs))).to.equal('answered')
    const once = failing(clock, [unread])
    expect(await codeOf(caller.call(door, once.ask, asIs, { repeatable: false }))).to.equal('unknown_answer')
    expect([again.at.length, once.at.length]).to.deep.equal([2, 1])
  })

  it('that fail of one operation alone close nothing to the others; of two they close the door', async () => {
    const { clock, caller } = calling({ rules: { tries: 1 } })
    const [asks, lists] = ['Simulate', 'ListRoles'].map((operation) => ({ ...door, service: 'iam', operation }))
    const { at, ask } = failing(clock, [down, down, down, down, down, down])
    for (let n = 0; n < 5; n++) expect(await codeOf(caller.call(asks!, ask, asIs))).to.equal('cloud_unavailable')
    const refused = await caller.call(asks!, ask, asIs).catch((error: unknown) => error)
    expect(refused).to.include({
      code: 'cloud_unreachable',
      message: 'iam Simulate in eu-west-1 of aws keeps failing. Calls to it are paused and will resume soon.',
    })
    expect(await codeOf(caller.call(lists!, async () => 1, asIs))).to.equal('answered')
    expect(await codeOf(caller.call(asks!, ask, asIs)), 'still').to.equal('cloud_unreachable')

    await clock.sleep(30_000)
    const several = [1, 2].map(() => codeOf(caller.call(asks!, ask, asIs)))
    expect(await Promise.all(several)).to.deep.equal(['cloud_unavailable', 'cloud_unreachable'])
    await clock.sleep(30_000)
    expect(await codeOf(caller.call(asks!, ask, asIs))).to.equal('answered')
    expect(at.length).to.equal(7)

    const all = failing(clock, [down, down, down, down, down])
    for (let n = 0; n < 5; n++) await codeOf(caller.call(n % 2 === 0 ? asks! : lists!, all.ask, asIs))
    const third = { ...door, service: 'iam', operation: 'GetRole' }
    expect(await codeOf(caller.call(third, async () => 1, asIs))).to.equal('cloud_unreachable')
  })

  it('are well again with one answer: a refusal, a busy object or a throttled call is no failure of the far side', async () => {
    const { clock, caller } = calling({ rules: { tries: 1 } })
    const { at, ask } = failing(clock, [
      down,
      down,
      down,
      down,
      denied,
      down,
      down,
      down,
      down,
      throttled,
      down,
      down,
      down,
      busy,
      down,
    ])
    for (let n = 0; n < 15; n++) await codeOf(caller.call(door, ask, asIs))
    expect(at.length).to.equal(15)
  })

  it('end after their time as cloud_timeout, whatever the client makes of it, and are tried again', async () => {
    const { caller, made } = calling({ rules: { timeoutMs: 5, tries: 2 }, random: () => 0 })
    const ask = (signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(Object.assign(new Error('aborted'), { name: 'AbortError' }))),
      )
    expect(await codeOf(caller.call(door, ask, () => denied))).to.equal('cloud_timeout')
    expect(made).to.deep.equal(['timeout', 'timeout'])
  })

  it('end after their time even if the client never answers, and so do those that wait for them', async () => {
    const { clock, caller } = calling({ rules: { timeoutMs: 1 } })
    const { ask } = failing(
      clock,
      Array.from({ length: 5 }, () => down),
    )
    for (let n = 0; n < 5; n++) await codeOf(caller.call(door, ask, asIs, { repeatable: false }))
    await clock.sleep(30_000)
    const hung = codeOf(caller.call(door, () => new Promise(() => {}), asIs, { repeatable: false }))
    const waiting = codeOf(caller.call(door, async () => 'answer', asIs, { repeatable: false }))
    expect([await hung, await waiting]).to.deep.equal(['cloud_timeout', 'cloud_unreachable'])
  })

  it('end at once with the signal of the asker, with its reason, and are not tried again', async () => {
    const { clock, caller, made } = calling()
    const stop = new AbortController()
    const { at, ask } = failing(clock, [throttled, throttled])
    const asked = caller.call(
      door,
      async () => {
        stop.abort(new Error('enough'))
        return ask()
      },
      asIs,
      { signal: stop.signal },
    )
    expect(await asked.catch((error: Error) => error.message)).to.equal('enough')
    expect([at.length, made.length]).to.deep.equal([1, 0])
  })
})
