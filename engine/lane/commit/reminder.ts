/**
 * Durable timers. A due reminder becomes a message of its actor's lane; the commit of its turn deletes its row, and a
 * reminder that has no row any more is not delivered: so each is delivered once, however often it was published.
 *
 * What is due is read page by page in the order of the index, each page once: a pass. Only when the lane has run what a pass
 * published, and a minute is over, is what still stands looked for from the beginning again.
 */
import { createHash } from 'node:crypto'
import type { LaneTools } from '#engine/lane/tools.ts'
import { Pack, packId } from '#engine/value/pack.ts'
import { type Envelope, manyPlaces, subjectToken } from '#engine/actor/subject.ts'
import type { Lease, ReminderRow } from '#engine/actor/ports.ts'

/** After this long a published reminder that still stands is published again. */
const againMs = 60_000
const pageMax = 5000

export class Reminders {
  private readonly tools: LaneTools
  private readonly lease: Lease
  /** When the next one is due that this pass has not published, milliseconds since 1970. */
  private next = Infinity
  /** The last one that this pass has published. */
  private last: ReminderRow | undefined
  private passAt = -Infinity
  /** The newest place in the stream of what this pass has published. */
  private lastSeq = 0
  /** While a page is read nobody knows whether it goes past what a commit sets. */
  private isReading = false
  /** Set by commits to a time at which this pass may have gone past them already. */
  private passed: ReminderRow[] = []

  constructor(tools: LaneTools, lease: Lease) {
    this.tools = tools
    this.lease = lease
  }

  async load(): Promise<void> {
    this.begin()
    this.next = (await this.tools.store.nextReminder(this.lease.lane)) ?? Infinity
  }

  committed(rows: readonly ReminderRow[]): void {
    for (const row of rows) {
      if (this.isReading || (this.last && row.due <= this.last.due)) this.passed.push(row)
      else this.next = Math.min(this.next, row.due)
    }
  }

  /** Publishes a page of what is due. Cheap while nothing is. */
  async publish(): Promise<void> {
    const { store, clock } = this.tools
    const now = clock.now()
    await this.publishPassed(now)
    if (this.last && now - this.passAt >= againMs && this.lease.cursor >= this.lastSeq) {
      this.begin()
      this.next = -Infinity
    }
    if (this.next > now) return
    if (!this.last) this.passAt = now
    // A commit may set another one meanwhile.
    this.next = Infinity
    this.isReading = true
    try {
      const page = await store.dueReminders(this.lease.lane, now, pageMax, this.last)
      await this.send(page)
      this.last = page.at(-1) ?? this.last
      const later = page.length === pageMax ? now : ((await store.nextReminder(this.lease.lane, this.last)) ?? Infinity)
      this.next = Math.min(this.next, later)
    } finally {
      this.isReading = false
    }
  }

  private begin(): void {
    this.last = undefined
    this.passAt = -Infinity
    this.lastSeq = 0
    this.passed = []
  }

  private async publishPassed(now: number): Promise<void> {
    if (this.passed.length === 0) return
    const due = this.passed.filter((row) => row.due <= now)
    this.passed = this.passed.filter((row) => row.due > now)
    await this.send(due)
  }

  private async send(rows: readonly ReminderRow[]): Promise<void> {
    const packs: { orgId: string; pack: Pack<string> }[] = []
    for (const [orgId, list] of Map.groupBy(rows, (row) => row.orgId)) {
      let pack: Pack<string> | undefined
      for (const row of list) {
        const id = idOf(row)
        const body = this.envelope(row, id)
        if (!pack?.hasRoom(body)) packs.push({ orgId, pack: (pack = new Pack()) })
        pack.add(id, body)
      }
    }
    const sent = await Promise.all(
      packs.map(({ orgId, pack }) =>
        this.tools.log.publish({
          subject: `lane.${this.lease.lane}.actor.${subjectToken(orgId)}.${manyPlaces}`,
          id: packId(pack.items),
          body: pack.body,
        }),
      ),
    )
    for (const { seq } of sent) this.lastSeq = Math.max(this.lastSeq, seq)
  }

  private envelope({ kind, orgId, place, key, name, due, subject, data }: ReminderRow, id: string): string {
    if (!this.tools.registry.subjects.has(subject))
      throw new Error(`a reminder refers to ${subject}, which is not declared`)
    const envelope: Envelope = {
      id,
      type: subject,
      schemaVersion: 1,
      orgId,
      time: new Date(due).toISOString(),
      source: 'reminder',
      reminder: { kind, place, key, name, due },
      data,
    }
    return JSON.stringify(envelope)
  }
}

const idOf = ({ kind, orgId, place, key, name, due }: ReminderRow): string =>
  `reminder-${createHash('sha256').update([kind, orgId, place, key, name, due].join('\0')).digest('base64url').slice(0, 32)}`
