/**
 * Events of the disks of the stores, for the operator: on the stream `EVENTS`, and at the operator's webhook. All
 * processes read the same disks, so the stream decides which of them posts.
 */
import type { Log } from '#engine/actor/ports.ts'
import type { Envelope } from '#engine/actor/subject.ts'
import type { Reporter } from '#engine/reporter.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import type { Settings } from '#config/settings/settings.ts'
import { toDiskText, type DiskLevel, type StoreDisk } from '#config/state/disk.ts'

interface Tools {
  log: Pick<Log, 'publish'>
  report: Reporter
  settings: Pick<Settings, 'operatorWebhookUrl'>
  clock: { now(): number }
}

const texts: Readonly<Record<DiskLevel, string>> = {
  low: 'The disk is filling up',
  full: 'The disk is full, so changes are refused',
  free: 'The disk has room again',
}

const hourMs = 3_600_000
const postMs = 10_000
const answerBytesMax = 65_536

export async function sendDiskEvent(
  { log, report, settings, clock }: Tools,
  level: DiskLevel,
  disk: StoreDisk,
): Promise<void> {
  const now = clock.now()
  const type = `installation.disk_${level}`
  const time = new Date(now).toISOString()
  const data = { text: `${texts[level]}: ${toDiskText(disk)}`, ...disk }
  // The same in all processes. A disk that stays low is an event again every hour.
  const id = `disk-${disk.store}-${level}-${Math.floor(now / hourMs)}`
  const envelope: Envelope = { id, type, schemaVersion: 1, orgId: '-', time, source: 'installation', data }
  const subject = `event.installation.-.disk_${level}`
  // The disk may be that of NATS: then every process posts.
  const stored = await log.publish({ subject, id, body: JSON.stringify(envelope) }).catch(() => undefined)
  if (stored?.isRepeat || settings.operatorWebhookUrl === undefined) return
  try {
    const { status } = await fetchOutside(settings.operatorWebhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type, time, ...data }),
      timeoutMs: postMs,
      bytesMax: answerBytesMax,
      allowPrivate: true,
    })
    if (status >= 300) report.warn({ status, type }, "the operator's webhook refused an event")
  } catch (error) {
    report.warn({ err: error, type }, "the operator's webhook did not take an event")
  }
}
