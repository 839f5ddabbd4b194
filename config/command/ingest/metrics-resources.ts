/** Commands that read files which are no bills. */
import type { RowUnit } from '#streams/billing/file/source.ts'
import { placeOf, type Refusals } from '#streams/billing/row/tally.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { openMetricFile, type MetricReading } from '#streams/metric/reader.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { openResourceFile, type ResourceReading } from '#streams/resource/reader.ts'
import { command } from '#config/command/line/build.ts'
import { byRow, exitCodes, ingest, ingestFlags, type IngestOutcome } from './ingest.ts'

interface RefusedRow {
  row: number
  refused: { code: string; message: string }
}

class Count {
  rows = 0
  accepted = 0
  private readonly reasons = new Map<string, Refusals>()

  refuse(file: string, unit: RowUnit, { row, refused: { code, message } }: RefusedRow): void {
    this.rows++
    const reason = this.reasons.get(code) ?? { code, rows: 0, message, first: [] }
    reason.rows++
    if (reason.first.length < 10) reason.first.push(placeOf(file, unit, row))
    this.reasons.set(code, reason)
  }

  take(rows: number): void {
    this.rows += rows
    this.accepted += rows
  }

  report(): IngestOutcome {
    const { rows, accepted } = this
    return { rows, accepted, refused: rows - accepted, reasons: [...this.reasons.values()] }
  }
}

export const ingestMetrics = command({
  name: 'ingest metrics',
  summary: 'Import utilization samples (CSV resource_uid,metric,ts,value or JSON lines)',
  usage: 'FILE.. --org ORG --account ID [--wait]',
  takes: ingestFlags,
  exitCodes,
  run: (given) =>
    ingest(given, ({ org: orgId, account: place, send }) => {
      const count = new Count()
      return {
        open: async (file) => openMetricFile(await file.open()),
        read: byRow<MetricReading>(async (file, unit, reading) => {
          if ('refused' in reading) return count.refuse(file, unit, reading)
          count.take(reading.rows)
          await send({ subject: metricSample, orgId, place, data: reading.data })
        }),
        outcome: () => count.report(),
      }
    }),
})

export const ingestResources = command({
  name: 'ingest resources',
  summary: 'Import resources (CSV or JSON lines of resource.discovered)',
  usage: 'FILE.. --org ORG --account ID [--wait]',
  takes: ingestFlags,
  exitCodes,
  run: (given) =>
    ingest(given, ({ org: orgId, account: accountId, send }) => {
      const count = new Count()
      return {
        open: async (file) => openResourceFile(await file.open(), { accountId }),
        read: byRow<ResourceReading>(async (file, unit, reading) => {
          if ('refused' in reading) return count.refuse(file, unit, reading)
          count.take(1)
          const time = reading.time && { time: new Date(reading.time) }
          await send({ subject: resourceDiscovered, orgId, data: reading.data, ...time })
        }),
        outcome: () => count.report(),
      }
    }),
})
