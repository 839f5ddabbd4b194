import { statSync } from 'node:fs'
import path from 'node:path'
import { Fault } from '#engine/fault.ts'
import type { Event } from '#engine/publisher.ts'
import { Organization } from '#http/identity/entity.ts'
import { isUuid } from '#engine/id.ts'
import { billingLine } from '#streams/billing.ts'
import { formatNames, type FormatName } from '#streams/billing/format.ts'
import { LineIds } from '#streams/billing/line-id.ts'
import { readBillingFile } from '#streams/billing/reader.ts'
import { Tally, type Refusals } from '#streams/billing/tally.ts'
import { metricSample } from '#streams/metric.ts'
import { readMetricFile } from '#streams/metric/reader.ts'
import { isProvider, realName } from '#streams/names.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { readResourceFile } from '#streams/resource/reader.ts'
import { build } from '#config/container.ts'
import { tokens } from '#config/tokens.ts'
import { required, type Command, type Invocation, type Result } from '#config/command/command.ts'
import { Sender, settled } from '#config/ingest.ts'
import { withInstance, type Instance } from '#config/instance.ts'
import { Progress } from '#config/progress.ts'

const shared = { org: { type: 'string' }, account: { type: 'string' }, wait: { type: 'boolean' } } as const
const sharedAbout = {
  'FILE..': 'Files to read; gzip is recognized',
  '--org ID': 'The organization they belong to',
  '--account ID': 'The cloud account they belong to',
  '--wait': 'Return when the rows are in the reports',
}

/** What the files came to. */
interface Outcome {
  rows: number
  accepted: number
  refused: number
  reasons: readonly Refusals[]
  billed?: Record<string, string>
  billedUsd?: string
}

type Read = (
  file: string,
  org: string,
  account: string,
  send: (event: Event) => Promise<void>,
  tell: (rows: number) => void,
) => Promise<void>

/** Reads the files, publishes what they hold and reports; the same for every kind of file. */
async function ingest(
  usage: string,
  { values, positionals }: Invocation,
  read: Read,
  outcome: () => Outcome,
): Promise<Result> {
  const org = required({ usage }, values['org'], '--org')
  const account = required({ usage }, values['account'], '--account')
  if (positionals.length === 0) throw new Error(`No file is given. Usage: ${usage}`)
  for (const file of positionals) mustBeReadable(file)
  return withInstance(async (instance) => {
    await mustExist(instance, org)
    const progress = new Progress()
    const began = performance.now()
    const product = build(instance.connections)
    const isOurs = values['wait'] === true && !instance.isRunning
    if (isOurs) product.get(tokens.engine).start()
    const sender = new Sender(product.get(tokens.publisher))
    for (const file of positionals) {
      const tell = (rows: number) => progress.step(`${path.basename(file)}: ${rows} rows`)
      await read(file, org, account, (event) => sender.add(event), tell).catch((error: unknown) => {
        throw ofFile(file, error)
      })
    }
    await sender.end()
    if (values['wait'])
      await settled(instance.connections, org, sender.lanes, (left) => progress.step(`adding up; ${left} days left`))
    if (isOurs) {
      await product.get(tokens.engine).drain()
      await instance.connections.store.leave()
    }
    const found = outcome()
    progress.done(`${found.rows} rows in ${((performance.now() - began) / 1000).toFixed(1)} s`)
    const data = { ...found, files: positionals.length, messages: sender.messages, waited: values['wait'] === true }
    return { data, text: told(found), code: found.rows > 0 && found.accepted === 0 ? 1 : 0 }
  })
}

function mustBeReadable(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found) throw new Error(`There is no file ${file}.`)
  if (found.isDirectory()) throw new Error(`${file} is a folder: name the files in it.`)
}

/** Several files may have been given: says which one it was. */
function ofFile(file: string, error: unknown): unknown {
  if (!(error instanceof Fault) || error.kind !== 'invalid') return error
  return Fault.invalid(error.code, `${file}: ${error.message}`, error.detail)
}

async function mustExist({ connections }: Instance, org: string): Promise<void> {
  const found = isUuid(org) && (await connections.orm.em.fork().findOne(Organization, { id: org }))
  if (!found) throw new Error(`There is no organization ${org}; tidemark org create NAME makes one.`)
}

function told({ rows, accepted, refused, reasons, billedUsd }: Outcome): string {
  const lines = [`rows read: ${rows}`, `accepted: ${accepted}`, `refused: ${refused}`]
  for (const { code, rows: count, message, first } of reasons) {
    lines.push(
      `  ${code}: ${count} (${message})`,
      `    first at ${first.map(({ file, row }) => `${path.basename(file)}:${row}`).join(', ')}`,
    )
  }
  if (billedUsd !== undefined) lines.push(`billed: ${billedUsd} USD`)
  return lines.join('\n')
}

/** Every so many rows the progress line is renewed. */
const tellEvery = 1000

const billingUsage = `tidemark ingest billing FILE.. --org ID --account ID [--format auto|${formatNames.join('|')}] [--rate CAD=0.73].. [--provider aws|gcp|azure] [--exported-at TIME] [--wait]`

export const ingestBilling: Command = {
  name: 'ingest billing',
  summary: 'Read billing files and publish their lines; reading them again changes nothing',
  usage: billingUsage,
  positionals: Infinity,
  options: {
    ...shared,
    format: { type: 'string' },
    rate: { type: 'string', multiple: true },
    provider: { type: 'string' },
    'exported-at': { type: 'string' },
  },
  about: {
    ...sharedAbout,
    '--format NAME': `auto (default), ${formatNames.join(', ')}`,
    '--rate CUR=USD': 'US dollars for one unit of a currency; rows in a currency without one are refused',
    '--provider NAME': 'For rows that name no provider',
    '--exported-at TIME': "When the export was made; default the file's modification time. A later one wins",
  },
  run: (invocation) => {
    const { values } = invocation
    const format = formatOption(values['format'])
    const rates = rateOption(values['rate'])
    const provider = providerOption(values['provider'])
    const exported = timeOption(values['exported-at'])
    const tally = new Tally()
    const ids = new LineIds()
    let rows = 0
    const read: Read = async (file, orgId, accountId, send, tell) => {
      const exportedAt = exported ?? statSync(file).mtime
      for await (const reading of readBillingFile(file, {
        format,
        accountId,
        rates,
        exportedAt,
        ids,
        ...(provider && { provider }),
      })) {
        tally.add(file, reading)
        if ('line' in reading) await send({ subject: billingLine, orgId, data: reading.line } as unknown as Event)
        if (++rows % tellEvery === 0) tell(rows)
      }
    }
    return ingest(billingUsage, invocation, read, () => tally.report())
  },
}

function formatOption(value: unknown): FormatName | 'auto' {
  const found = (['auto', ...formatNames] as const).find((name) => name === (value ?? 'auto'))
  if (!found) throw new Error(`--format must be one of auto, ${formatNames.join(', ')}`)
  return found
}

function rateOption(value: unknown): Record<string, string> {
  const rates: Record<string, string> = {}
  for (const entry of (value as string[] | undefined) ?? []) {
    const [, currency, rate] = /^([A-Za-z]{2,8})=(\d+(?:\.\d+)?)$/.exec(entry) ?? []
    if (!currency || !rate || Number(rate) <= 0) throw new Error(`--rate must look like CAD=0.73, not ${entry}`)
    rates[currency.toUpperCase()] = rate
  }
  return rates
}

function providerOption(value: unknown) {
  if (typeof value !== 'string') return undefined
  const name = realName(value)
  if (!isProvider(name)) throw new Error('--provider must be one of aws, gcp, azure')
  return name
}

function timeOption(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) throw new Error('--exported-at must be an ISO 8601 time')
  return at
}

/** Counts for files that are no bills. */
class Count {
  rows = 0
  accepted = 0
  private readonly reasons = new Map<string, Refusals>()

  refuse(file: string, row: number, { code, message }: { code: string; message: string }): void {
    this.rows++
    const reason = this.reasons.get(code) ?? { code, rows: 0, message, first: [] }
    reason.rows++
    if (reason.first.length < 10) reason.first.push({ file, row })
    this.reasons.set(code, reason)
  }

  take(rows: number): void {
    this.rows += rows
    this.accepted += rows
  }

  report(): Outcome {
    const { rows, accepted } = this
    return { rows, accepted, refused: rows - accepted, reasons: [...this.reasons.values()] }
  }
}

const metricsUsage = 'tidemark ingest metrics FILE.. --org ID --account ID [--wait]'

export const ingestMetrics: Command = {
  name: 'ingest metrics',
  summary: 'Read utilization samples (CSV resource_uid,metric,ts,value or JSON lines) and publish them',
  usage: metricsUsage,
  positionals: Infinity,
  options: shared,
  about: sharedAbout,
  run: (invocation) => {
    const count = new Count()
    const read: Read = async (file, orgId, place, send, tell) => {
      for await (const reading of readMetricFile(file)) {
        if ('refused' in reading) count.refuse(file, reading.row, reading.refused)
        else {
          count.take(reading.rows)
          await send({ subject: metricSample, orgId, place, data: reading.data } as unknown as Event)
        }
        if (count.rows % tellEvery === 0) tell(count.rows)
      }
    }
    return ingest(metricsUsage, invocation, read, () => count.report())
  },
}

const resourcesUsage = 'tidemark ingest resources FILE.. --org ID --account ID [--wait]'

export const ingestResources: Command = {
  name: 'ingest resources',
  summary: 'Read resources (CSV or JSON lines of resource.discovered) and publish them',
  usage: resourcesUsage,
  positionals: Infinity,
  options: shared,
  about: sharedAbout,
  run: (invocation) => {
    const count = new Count()
    const read: Read = async (file, orgId, accountId, send, tell) => {
      for await (const reading of readResourceFile(file, { accountId })) {
        if ('refused' in reading) count.refuse(file, reading.row, reading.refused)
        else {
          count.take(1)
          const event = {
            subject: resourceDiscovered,
            orgId,
            data: reading.data,
            ...(reading.time && { time: new Date(reading.time) }),
          }
          await send(event as unknown as Event)
        }
        if (count.rows % tellEvery === 0) tell(count.rows)
      }
    }
    return ingest(resourcesUsage, invocation, read, () => count.report())
  },
}
