import { flushCompileCache } from 'node:module'
import type { Reporter } from '#engine/reporter.ts'
import { natsAddress } from '#config/connect.ts'
import type { Stores } from '#config/embedded/stores.ts'
import { consoleOf } from '#http/identity/browser.ts'
import { loadDemo, type Demo } from '#config/demo.ts'
import { startProduct, type Running } from '#config/product.ts'
import { Progress } from '#config/progress.ts'
import { outboxFile } from '#config/services.ts'
import type { Settings } from '#config/settings.ts'

export interface Begun {
  settings: Settings
  isJson: boolean
  /** When, by `performance.now()`. */
  began: number
  report: Reporter
  stores: Promise<Stores>
  /** Resolves when this process is asked to end. */
  asked: Promise<void>
  /** Says that the end of the process is no surprise any more. */
  mayEnd: () => void
}

/** After so long what was compiled is kept for the next start, milliseconds: nobody waits for it. */
const flushMs = 1000

/** Runs the product until it is asked to end, and prints where it is. */
export async function started({ settings, isJson, began, report, stores, asked, mayEnd }: Begun): Promise<void> {
  const progress = new Progress()
  const running = await startProduct(settings, report, stores).catch((error: unknown) => {
    mayEnd()
    throw error
  })
  try {
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    progress.done(
      `${running.url ? `Listening at ${running.url}` : 'Running the engine'} after ${seconds} s; metrics at ${running.metricsUrl}`,
    )
    const { misfits } = running.connections.installation
    for (const { message } of misfits) progress.done(`No lane runs: ${message}`)
    const isDemo = settings.demo && settings.role === 'all' && misfits.length === 0
    const loaded = isDemo ? await Promise.race([loadDemo(running, progress), asked.then(() => undefined)]) : undefined
    if (running.url) print(isJson, running, settings, loaded?.demo)
    // Else only a process that ends in order would keep it, and one that was killed would compile everything again.
    setTimeout(flushCompileCache, flushMs).unref()
    let isStopping = false
    const rest = loaded?.rest().then(() => progress.done('The demo organization is complete.'))
    rest?.catch((error: unknown) => {
      if (isStopping) progress.done('The demo organization is not complete; the next start goes on with it.')
      else report.warn({ err: error }, 'the demo is not complete; the next start goes on with it')
    })
    await asked
    isStopping = true
  } finally {
    await running.stop()
    mayEnd()
    progress.done('Stopped.')
  }
}

function print(
  isJson: boolean,
  { url, stores, metricsUrl, analystsUrl, product }: Running,
  { dataDir, smtpUrl }: Settings,
  demo: Demo | undefined,
): void {
  const token = demo?.token
  const nats = natsAddress(stores.nats.url)
  const mails = smtpUrl === undefined ? outboxFile(dataDir) : undefined
  const page = demo?.console ?? consoleOf(product.site.publicUrl)
  const data = {
    url,
    console: page,
    docs: `${url}/docs`,
    metrics: metricsUrl,
    ...(mails !== undefined && { mails }),
    analysts: analystsUrl,
    nats,
    ...(demo && { orgId: demo.orgId, token, producer: demo.nats, analystToken: demo.analystToken }),
  }
  process.stdout.write(isJson ? `${JSON.stringify(data)}\n` : welcome(url!, page, nats, analystsUrl, demo, mails))
}

/** What a person reads once everything runs. `page` is the console, `mails` is the file they are written to where no mail server is set. */
export function welcome(
  url: string,
  page: string,
  nats: string,
  analysts: string | undefined,
  demo: Demo | undefined,
  mails?: string,
): string {
  const help = [
    `Console:         ${page}${page.includes('#') ? '  (signs you in once)' : ''}`,
    `API reference:   ${url}/docs`,
    `NATS:            ${demo?.nats ?? nats}  (for producers${demo ? ' of the demo organization' : ''})`,
    ...(analysts
      ? [`ClickHouse:      ${analysts}  (read-only, for analysts: any user, a token of scope analyst as password)`]
      : []),
    ...(mails === undefined ? [] : [`Mails:           ${mails}  (no SMTP_URL is set)`]),
  ]
  const rest = demo ? ofDemo(url, analysts, demo) : beginning
  return ['', `Tidemark is running at ${url}`, ...help, '', ...rest, '', ''].join('\n')
}

const beginning = [
  'Make an organization, a token, and who publishes for it:',
  '  npm run -s tidemark -- org create NAME',
  '  npm run -s tidemark -- pat create --org ID --role owner',
  '  npm run -s tidemark -- producer create --org ID',
  'And a person, who signs in at the console:',
  '  npm run -s tidemark -- user create EMAIL --org ID --role owner',
]

function ofDemo(url: string, analysts: string | undefined, { orgId, token, analystToken }: Demo): string[] {
  const curl = (path: string, more = '') => `  curl -s -H "Authorization: Bearer $TOKEN"${more} '${url}${path}'`
  return [
    'The demo organization is fed by a simulated cloud. Its token:',
    '',
    `  TOKEN=${token}`,
    '',
    'Ask it for money:',
    '',
    curl('/reports/summary'),
    curl('/reports/trends'),
    curl('/reports/costs/breakdown?dims=provider,service_name'),
    '',
    'And what was switched off, and what will be:',
    '',
    curl('/state-history'),
    curl('/schedules'),
    '',
    'Whose the costs are, by rule, and tags that wait to be accepted:',
    '',
    curl('/reports/teams'),
    curl('/autotagging?status=pending'),
    curl('/smart-tags?status=pending'),
    '',
    'And, in a minute, what could be saved, what was, by three bases, what rose most, as an agent asks it (MCP), and what people were told of budgets and anomalies:',
    '',
    curl('/recommendations?size=5'),
    curl('/recommendations/summary'),
    curl('/reports/savings'),
    curl('/reports/commitments'),
    curl('/mcp', asAgent),
    `  npm run -s tidemark -- recommendations list --org ${orgId}`,
    `  npm run -s tidemark -- notification deliveries --org ${orgId}`,
    '',
    ...(analysts && analystToken ? ['Or in SQL:', '', ...inSql(analysts, analystToken), ''] : []),
    'Ctrl-C stops everything.',
  ]
}

/** What an agent sends: a message that calls a tool. */
const asAgent = [
  '',
  `-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'`,
  `-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_cost_drivers","arguments":{}}}'`,
].join(' ')

const inSql = (analysts: string, token: string): string[] => [
  `  ANALYST=${token}`,
  `  curl -s -u analyst:$ANALYST '${analysts}' -d 'SELECT provider, sum(billed_cost) FROM cost_service_daily GROUP BY provider'`,
]
