/**
 * The console in a real browser: bytes of script per view, milliseconds from a cold load to the first figure and to the
 * complete overview, and from a published line to its figure on screen; compared with requesting the same report
 * without a browser, and with the report containing the line. Needs Chromium (CHROMIUM_BIN, otherwise on the PATH).
 * Usage: npm run -s bench -- console [--loads 10] [--facts 100000]
 */
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { dayOf } from '#engine/value/day.ts'
import { views } from '#http/console/web/view/index.ts'
import { serve } from '#http/edge/serve.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { newUser } from '#http/identity/session/login.ts'
import { makeLinkToken } from '#http/identity/session/sign-in-link.ts'
import { Member } from '#http/identity/entity.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { browserHere } from '#test/console/browser.ts'
import { load } from './harness/bill.ts'
import { figure, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: { loads: { type: 'string', default: '10' }, facts: { type: 'string', default: '100000' } },
})
const [loads, facts] = [Number(values.loads), Number(values.facts)] as [number, number]
const executablePath = browserHere()
if (executablePath === undefined) {
  say('no Chromium here: set CHROMIUM_BIN')
  process.exit(2)
}
const set = await stage({
  env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0', AUTH_RATE_LIMIT: '0', INBOUND_RATE_LIMIT: '0' },
})
const { connections, product, end } = await set.product()
product.get(tokens.engine).start()
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
product.site.publicUrl = serving.url
const em = connections.orm.em.fork()
const { id: orgId } = await createOrganization(em, 'bench')
const { secret } = await createToken(em, orgId, { role: 'owner', name: 'bench' })
await load(connections.clickhouse, { orgId, facts, perResourceDay: 24 })
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })

/** Each look renews the session: the next one goes on from it. */
let state = await signedIn()
await weights()
await firstFigures()
await moves()
await browser.close()
await serving.close()
await end()
await set.close()
process.exit(0)

async function signedIn() {
  const now = new Date()
  const token = await em.transactional(async (tx) => {
    const user = newUser(tx, 'bench@example.com', 'Bench', now)
    user.emailVerifiedAt = now
    tx.persist(tx.create(Member, { orgId, userId: user.id, roleId: 'owner', status: 'active', createdAt: now }))
    await tx.flush()
    return makeLinkToken(tx, { userId: user.id, orgId, expiresAt: new Date(now.getTime() + 60_000) })
  })
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${serving.url}/console/#token=${token}`)
  await page.waitForSelector('.frame')
  const kept = await context.storageState()
  await context.close()
  return kept
}

/** What each view's script weighs as it comes, with all that it imports. */
async function weights(): Promise<void> {
  say('view          script, kB compressed')
  for (const { name } of views) {
    const context = await browser.newContext({ storageState: state })
    const page = await context.newPage()
    await page.goto(`${serving.url}/console/${name}`)
    await page.waitForFunction(() => !document.querySelector('.loading') && document.querySelector('main#view > *'))
    const bytes = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name: of }) => /\/console\/file\/.*\.js$/.test(of))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    )
    say(`${name.padEnd(14)}${figure(bytes / 1000).padStart(6)}`)
    state = await context.storageState()
    await context.close()
  }
}

/** Cold: a context without a cache each time. The ceiling is the same report asked by itself, at the same moment. */
async function firstFigures(): Promise<void> {
  const [first, all, bare] = [[] as number[], [] as number[], [] as number[]]
  for (let n = 0; n < loads; n++) {
    const context = await browser.newContext({ storageState: state })
    const page = await context.newPage()
    const began = performance.now()
    await page.goto(`${serving.url}/console/`)
    await page.waitForSelector('.tile .big')
    first.push(performance.now() - began)
    await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'))
    all.push(performance.now() - began)
    state = await context.storageState()
    await context.close()
    bare.push(await timed(() => asked('/reports/costs/series?granularity=monthly&compare=previous')))
  }
  const [one, whole, alone] = [quantile(first, 0.5), quantile(all, 0.5), quantile(bare, 0.5)]
  say(
    `first figure, cold: p50 ${figure(one)} ms, p90 ${figure(quantile(first, 0.9))} ms (1,000 ms asked); the report alone ${figure(alone)} ms`,
  )
  say(`all of the overview: p50 ${figure(whole)} ms`)
}

/** From a line that is published: until reports have it, and until the page shows it. */
async function moves(): Promise<void> {
  const context = await browser.newContext({ storageState: state })
  const page = await context.newPage()
  await page.goto(`${serving.url}/console/`)
  await page.waitForSelector('.live.live')
  await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'))
  const [there, seen] = [[] as number[], [] as number[]]
  for (let n = 0; n < loads; n++) {
    const before = await page.locator('.tile .big').first().textContent()
    const began = performance.now()
    const shown = page
      .waitForFunction((text) => document.querySelector('.tile .big')?.textContent !== text, before, { polling: 20 })
      .then(() => seen.push(performance.now() - began))
    const data = {
      lineId: `console-${n}`,
      cloudAccountId: 'acct-1',
      provider: 'aws' as const,
      serviceName: 'compute',
      usageDate: dayOf(new Date()),
      costUSD: '1000',
      exportedAt: new Date().toISOString(),
    }
    const { lane, seq } = await product.get(tokens.publisher).publish({ subject: billingLine, orgId, data } as never)
    await waitUntilSettled(connections, orgId, new Map([[lane!, seq]]), () => {})
    there.push(performance.now() - began)
    await shown
  }
  await context.close()
  say(
    `a published line: in reports after p50 ${figure(quantile(there, 0.5))} ms, on screen after p50 ${figure(quantile(seen, 0.5))} ms, p90 ${figure(quantile(seen, 0.9))} ms (2,000 ms asked)`,
  )
}

async function asked(path: string): Promise<void> {
  const response = await fetch(`${serving.url}${path}`, { headers: { Authorization: `Bearer ${secret}` } })
  await response.text()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
