import { flushCompileCache } from 'node:module'
import type { Reporter } from '#engine/reporter.ts'
import { natsAddress } from '#config/state/connect.ts'
import type { Stores } from '#config/embedded/stores.ts'
import { welcome } from './welcome.ts'
import { consoleOf } from '#http/identity/session/browser.ts'
import { loadDemo, type Demo } from '#config/demo/demo.ts'
import { startProduct, type Running } from '#config/product/product.ts'
import { Progress } from '#config/process/progress.ts'
import { outboxFile } from '#config/wiring/services.ts'
import type { Settings } from '#config/settings/settings.ts'

export interface StartOptions {
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
export async function runProduct({
  settings,
  isJson,
  began,
  report,
  stores,
  asked,
  mayEnd,
}: StartOptions): Promise<void> {
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
      if (isStopping) progress.done('The demo organization is not complete; the next start continues it.')
      else report.warn({ err: error }, 'the demo is not complete; the next start continues it')
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
  const at = { url: url!, console: page, nats, analysts: analystsUrl, mails }
  process.stdout.write(isJson ? `${JSON.stringify(data)}\n` : welcome(at, demo))
}
