/**
 * Durable timers. A due reminder becomes a message of its actor's lane; the commit of its turn deletes its row, and a
 * reminder that has no row any more is not delivered: so each is delivered once, however often it was published.
 */
import { createHash } from 'node:crypto'
import type { LaneTools } from '#engine/lane/tools.ts'
import { reminderHeader } from '#engine/lane/message.ts'
import { type Envelope, header, subjectToken } from '#engine/subject.ts'
import type { ReminderRow } from '#engine/ports.ts'

/** After this long a published reminder that still stands is published again. */
const againMs = 60_000

export class Reminders {
  private readonly tools: LaneTools
  private readonly lane: number
  /** When the next one is due, milliseconds since 1970. */
  private next = Infinity
  private readonly published = new Map<string, number>()

  constructor(tools: LaneTools, lane: number) {
    this.tools = tools
    this.lane = lane
  }

  async load(): Promise<void> {
    this.next = (await this.tools.store.nextReminder(this.lane)) ?? Infinity
  }

  committed(rows: readonly ReminderRow[]): void {
    for (const { due } of rows) this.next = Math.min(this.next, due)
  }

  /** Publishes what is due. Cheap while nothing is. */
  async publish(): Promise<void> {
    const now = this.tools.clock.now()
    if (this.next > now) return
    // A commit may set another one meanwhile.
    this.next = Infinity
    const due = await this.tools.store.dueReminders(this.lane, now, 500)
    const fresh = due.filter((row) => now - (this.published.get(idOf(row)) ?? -Infinity) >= againMs)
    await Promise.all(fresh.map((row) => this.send(row)))
    for (const row of fresh) this.published.set(idOf(row), now)
    for (const [id, at] of this.published) if (now - at > 2 * againMs) this.published.delete(id)
    const later = (await this.tools.store.nextReminder(this.lane)) ?? Infinity
    this.next = Math.min(this.next, later <= now && due.length > 0 ? now + 1000 : later)
  }

  private async send(row: ReminderRow): Promise<void> {
    const subject = this.tools.registry.subjects.get(row.subject)?.subject
    if (!subject) throw new Error(`a reminder speaks of ${row.subject}, which is not declared`)
    const id = idOf(row)
    const envelope: Envelope = {
      id,
      type: row.subject,
      schemaVersion: 1,
      orgId: row.orgId,
      time: new Date(row.due).toISOString(),
      source: 'reminder',
      data: row.data,
    }
    await this.tools.log.publish({
      subject: `lane.${this.lane}.${subject.kind}.${subjectToken(row.orgId)}.${subjectToken(row.place)}`,
      id,
      headers: { [header.reminder]: reminderHeader(row) },
      body: JSON.stringify(envelope),
    })
  }
}

const idOf = ({ kind, orgId, place, key, name, due }: ReminderRow): string =>
  `reminder-${createHash('sha256').update([kind, orgId, place, key, name, due].join('\0')).digest('base64url').slice(0, 32)}`
