import { readFileSync } from 'node:fs'
import type { ListPage } from '#config/command/line/api.ts'
import { routeCommand } from '#config/command/line/build.ts'
import { UsageError, type Command } from '#config/command/line/command.ts'
import { choice, count, id, optional, org, readAs, requiredText, textList } from '#config/command/line/flag.ts'
import { listOf } from '#config/command/line/table.ts'
import type { Static } from '#engine/value/schema.ts'
import type { RunView, ScheduleView } from '#http/export/schedule/body.ts'
import { exportFormats, focusVersions } from '#streams/export.ts'

type Schedule = Static<typeof ScheduleView>
type Run = Static<typeof RunView>

const timesOf = ({ every, day, hour, timezone }: Schedule): string =>
  `${every === 'day' ? 'daily' : `day ${day}`} ${String(hour).padStart(2, '0')}:00 ${timezone}`

const schedules = listOf<Schedule>(
  {
    ID: 'id',
    NAME: 'name',
    LOCATION: 'location',
    FORMAT: ({ format, version }) => `${format} ${version}`,
    TIMES: (one) => (one.isOn ? timesOf(one) : 'off'),
    'LAST RUN': ({ lastRun }) => lastRun && `${lastRun.status} ${lastRun.startedAt}`,
    REASON: ({ lastRun }) => lastRun?.reason,
  },
  'No scheduled exports.',
)

const runs = listOf<Run>(
  {
    ID: 'runID',
    STARTED: 'startedAt',
    ENDED: 'endedAt',
    STATUS: 'status',
    MONTHS: ({ months }) => months.map(({ month, outcome, rows }) => `${month} ${outcome} ${rows}`).join(', '),
    REASON: ({ reason, fixHint }) => [reason, fixHint].filter(Boolean).join(' '),
  },
  'No runs yet.',
)

interface StartedRun {
  runID: string
  omittedMonths: string[]
}

export const runText = ({ runID, omittedMonths }: StartedRun): string =>
  omittedMonths.length === 0
    ? `${runID}  started`
    : `${runID}  is another run that is under way; it does not contain ${omittedMonths.join(', ')}. Run this command again when it has ended.`

const kinds = { s3: 's3', gs: 'gcs', https: 'azure_blob' } as const
const shapes = /^(?:(s3|gs):\/\/([^/]+)|(https):\/\/([^./]+)\.blob\.core\.windows\.net\/([^/]+))\/?(.*?)\/*$/

/** @throws UsageError for what is no address of a bucket */
function destinationOf(to: string, region: string | undefined) {
  const [, scheme, bucket, https, storageAccount, container, prefix] = shapes.exec(to) ?? []
  const kind = kinds[(scheme ?? https) as keyof typeof kinds]
  if (kind === undefined)
    throw new UsageError(
      `--to must be s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or https://ACCOUNT.blob.core.windows.net/CONTAINER/PREFIX, not ${to}`,
    )
  return { kind, bucket: bucket ?? container, storageAccount, region, prefix }
}

/** @throws UsageError for a file that cannot be read */
function credentialsIn(file: string): object {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as object
  } catch (error) {
    throw new UsageError(`--credentials ${file}: ${(error as Error).message}`)
  }
}

const ofOne = { org, id: id('Scheduled export', 'export-schedule list') }
const params = ({ id: exportScheduleID }: { id: string }) => ({ params: { exportScheduleID } })

export const exportScheduleCommands: readonly Command[] = [
  routeCommand({
    name: 'export-schedule list',
    summary: 'List scheduled exports with their last run',
    takes: { org },
    route: 'GET /export-schedules',
    ask: () => ({ query: { limit: 100 } }),
    show: ({ items }: ListPage<Schedule>) => schedules(items),
  }),
  routeCommand({
    name: 'export-schedule create',
    summary: 'Write costs as FOCUS to an object store every day, or every month with --day',
    takes: {
      org,
      name: requiredText('NAME', 'Name of the export'),
      to: requiredText(
        'ADDRESS',
        's3://BUCKET/PREFIX, gs://BUCKET/PREFIX or https://ACCOUNT.blob.core.windows.net/CONTAINER/PREFIX',
      ),
      region: optional('REGION', 'Region of an S3 bucket'),
      account: optional('ID', 'Connected cloud account whose credentials write'),
      credentials: readAs(optional('FILE', 'JSON file with credentials, instead of --account'), (file) =>
        file === undefined ? undefined : credentialsIn(file),
      ),
      format: choice('FORMAT', exportFormats, '; default parquet'),
      version: choice('VERSION', focusVersions, ' of FOCUS; default 1.4'),
      day: readAs(optional('DAY', 'Day of the month, 1 to 28; default: every day'), (day) =>
        day === undefined ? undefined : Number(day),
      ),
      hour: count('Hour in the time zone', 23, 6, 0),
      zone: optional('ZONE', 'IANA time zone, such as Europe/Berlin; default UTC'),
    },
    route: 'POST /export-schedules',
    ask: ({ name, to, region, account: cloudAccountID, credentials, format, version, day, hour, zone = 'UTC' }) => ({
      body: {
        name,
        destination: destinationOf(to, region),
        cloudAccountID,
        credentials,
        format,
        version,
        every: day === undefined ? 'day' : 'month',
        day,
        hour,
        timezone: zone,
      },
    }),
    show: (data: Schedule) => ({ data, text: schedules([data]).text }),
  }),
  routeCommand({
    name: 'export-schedule run',
    summary: 'Run a scheduled export now',
    takes: {
      ...ofOne,
      month: textList('MONTH', 'Month (YYYY-MM) to write; default: this one and the one before; repeatable'),
    },
    route: 'POST /export-schedules/:exportScheduleID/run',
    ask: ({ id, month }) => ({ ...params({ id }), body: month.length > 0 ? { months: month } : {} }),
    show: (data: StartedRun) => ({ data, text: runText(data) }),
  }),
  routeCommand({
    name: 'export-schedule runs',
    summary: 'List the runs of a scheduled export, newest first',
    takes: ofOne,
    isTable: true,
    route: 'GET /export-schedules/:exportScheduleID/runs',
    ask: ({ id }) => ({ ...params({ id }), query: { limit: 100 } }),
    show: ({ items }: ListPage<Run>) => runs(items),
  }),
  routeCommand({
    name: 'export-schedule delete',
    summary: 'Delete a scheduled export; what it has written stays',
    takes: ofOne,
    route: 'DELETE /export-schedules/:exportScheduleID',
    ask: params,
    show: (_: unknown, { id }) => ({ data: { id }, text: `${id}  deleted` }),
  }),
]
