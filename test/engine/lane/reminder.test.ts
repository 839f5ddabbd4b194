/** Due reminders on their way to the stream, with the store and the log of the test's own. */
import { expect } from 'chai'
import { Reminders } from '#engine/lane/commit/reminder.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import type { Clock, Lease, ReminderRow } from '#engine/actor/ports.ts'
import { rang, simRegistry } from '#test/sim/actors.ts'

const bell: ReminderRow = {
  kind: 'sim',
  orgId: 'o1',
  place: 'p0',
  key: 'k',
  name: 'bell',
  due: 1_000_000,
  subject: rang.name,
  data: { place: 'p0', key: 'k', n: 1 },
}

const order = ({ due, orgId, key }: ReminderRow) => `${String(due).padStart(9, '0')} ${orgId} ${key}`

/** A lane whose reminders stand until the test takes them away. */
function ringing(rows = [bell]) {
  const world = {
    now: bell.due,
    rows,
    published: [] as { subject: string; body: string }[],
    pages: 0,
    onPage: () => {},
  }
  const behind = (after?: ReminderRow) =>
    world.rows
      .filter((row) => !after || order(row) > order(after))
      .toSorted((a, b) => order(a).localeCompare(order(b), 'en'))
  const due = async (_: number, now: number, max: number, after?: ReminderRow) => {
    world.pages++
    const page = behind(after)
      .filter((row) => row.due <= now)
      .slice(0, max)
    world.onPage()
    return page
  }
  const lease = { lane: 0, cursor: 0 } as Lease
  const publish = async (message: { subject: string; body: string }) => ({
    lane: 0,
    seq: world.published.push(message),
  })
  const tools = {
    registry: simRegistry,
    clock: { now: () => world.now } as Clock,
    store: { dueReminders: due, nextReminder: async (_: number, after?: ReminderRow) => behind(after)[0]?.due },
    log: { publish },
  } as unknown as LaneTools
  const reminders = new Reminders(tools, lease)
  /** Lets the lane look after so many milliseconds; how many messages it has published by then. */
  const after = async (ms: number): Promise<number> => {
    world.now += ms
    await reminders.publish()
    return world.published.length
  }
  const keys = () =>
    world.published.flatMap(({ body }) => {
      const parsed = JSON.parse(body) as { reminder: { key: string } } | { reminder: { key: string } }[]
      return [parsed].flat().map(({ reminder }) => reminder.key)
    })
  return { world, reminders, lease, after, keys }
}

const ids = (published: readonly { body: string }[]) =>
  published.map(({ body }) => (JSON.parse(body) as { id: string }).id)

describe('a due reminder', () => {
  it('is published once; again, under the same id, when the lane is past it and it has stood for another minute', async () => {
    const { world, reminders, lease, after } = ringing()
    await reminders.load()
    expect([await after(-1), await after(1), await after(1000), await after(60_000)]).to.deep.equal([0, 1, 1, 1])
    lease.cursor = 1
    expect([await after(1), await after(30_000), await after(29_999)]).to.deep.equal([2, 2, 2])
    lease.cursor = 2
    expect(await after(1)).to.equal(3)
    expect(new Set(ids(world.published)).size).to.equal(1)
    world.rows = []
    lease.cursor = 3
    expect([await after(600_000), await after(600_000)]).to.deep.equal([3, 3])
  })

  it('is published with up to 500 others of its organization in one message, and a page of 5,000 at a time', async () => {
    const rows = Array.from({ length: 6001 }, (_, i) => ({
      ...bell,
      orgId: i % 6 === 0 ? 'o2' : 'o1',
      key: String(i).padStart(4, '0'),
    }))
    const { world, reminders, after, keys } = ringing(rows)
    await reminders.load()
    // 5,000 of o1 as ten messages; one of o2 has number 5,001 in the order of organizations.
    expect([await after(0), world.pages]).to.deep.equal([10, 1])
    expect([await after(0), world.pages]).to.deep.equal([13, 2])
    expect([await after(0), await after(1000), world.pages]).to.deep.equal([13, 13, 2])
    expect(keys().toSorted()).to.deep.equal(rows.map(({ key }) => key))
    expect(new Set(world.published.map(({ subject }) => subject))).to.deep.equal(
      new Set(['lane.0.actor.o1.~', 'lane.0.actor.o2.~']),
    )
  })

  it('is published at once when a commit sets it to a time that has been passed, and once', async () => {
    const { world, reminders, after, keys } = ringing()
    await reminders.load()
    await after(0)
    const late = { ...bell, key: 'late', due: bell.due - 5000 }
    const later = { ...bell, key: 'later', due: bell.due + 5000 }
    world.rows.push(late, later)
    reminders.committed([late, later])
    await after(1)
    expect(keys()).to.deep.equal(['k', 'late'])
    await after(4999)
    await after(1)
    expect(keys()).to.deep.equal(['k', 'late', 'later'])
  })

  it('is published soon when a commit sets it while a page is read that goes past it', async () => {
    const { world, reminders, after, keys } = ringing([bell, { ...bell, key: 'z', due: bell.due + 10 }])
    await reminders.load()
    const between = { ...bell, key: 'between', due: bell.due + 5 }
    world.onPage = () => {
      world.onPage = () => {}
      world.rows.push(between)
      reminders.committed([between])
    }
    await after(20)
    await after(1)
    expect(keys()).to.deep.equal(['k', 'z', 'between'])
  })

  it('is published at once when a commit sets it to the very time of the last one', async () => {
    const { world, reminders, after, keys } = ringing()
    await reminders.load()
    await after(0)
    const same = { ...bell, key: 'a' }
    world.rows.push(same)
    reminders.committed([same])
    await after(1)
    expect(keys()).to.deep.equal(['k', 'a'])
  })
})
