/** Due reminders on their way to the stream, with the store and the log of the test's own. */
import { expect } from 'chai'
import { Reminders } from '#engine/lane/reminder.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import type { Clock, ReminderRow } from '#engine/ports.ts'
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

/** A lane whose one reminder stands until the test takes it away. */
function ringing() {
  const world = { now: bell.due, rows: [bell], published: [] as string[] }
  const due = async () => world.rows.filter((row) => row.due <= world.now)
  const tools = {
    registry: simRegistry,
    clock: { now: () => world.now } as Clock,
    store: { dueReminders: due, nextReminder: async () => world.rows[0]?.due },
    log: { publish: async ({ id }: { id: string }) => void world.published.push(id) },
  } as unknown as LaneTools
  const reminders = new Reminders(tools, 0)
  /** Lets the lane look after so many milliseconds; how often it has published by then. */
  const after = async (ms: number): Promise<number> => {
    world.now += ms
    await reminders.publish()
    return world.published.length
  }
  return { world, reminders, after }
}

describe('a due reminder', () => {
  it('is published once, and again under the same id for every minute in which its turn has not come', async () => {
    const { world, reminders, after } = ringing()
    await reminders.load()
    expect([await after(-1), await after(1), await after(1000), await after(58_999)]).to.deep.equal([0, 1, 1, 1])
    expect([await after(1000), await after(30_000), await after(30_000)]).to.deep.equal([2, 2, 3])
    expect(new Set(world.published).size).to.equal(1)
    world.rows = []
    expect(await after(600_000)).to.equal(3)
  })
})
