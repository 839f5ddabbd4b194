import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { serve } from '#http/edge/serve.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { deepConsole, describeConsole, look, settled } from '#test/console/browser.ts'
import { deliver, sendLoneLines } from '#test/harness/delivery.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const problem = (status: number, code: string, detail: string, headers = {}) => ({
  status,
  contentType: 'application/problem+json',
  headers,
  body: JSON.stringify({ type: `urn:tidemark:problem:${code}`, title: code, status, detail, code, requestId: 'r-1' }),
})

/** Requests of figures, alone and together. */
const figures = /\/(reports\/.*|batch)$/

const now = (org: Tenant): string => new Date(org.connections.clock.now()).toISOString()
const today = (org: Tenant): string => now(org).slice(0, 10)

describeConsole('the console where the service is in trouble', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await deliver(org, { id: 'e1', at: now(org), items: [[today(org), 'i-1', 12]] })
  })

  const expected = /Failed to load resource|ERR_CONNECTION|ERR_FAILED|ERR_INTERNET/

  deepIt('waits as long as it is told to where it asks too fast, says so, and goes on', async () => {
    const seen = await look(org, { expected })
    let times = 0
    await seen.page.route('**/batch', (route) =>
      times++ === 0
        ? route.fulfill(problem(429, 'rate_limited', 'Too many requests.', { 'Retry-After': '5' }))
        : route.continue(),
    )
    await seen.page.goto(`${org.url}/console/`)
    await seen.page.getByText('Your organization has reached its request rate limit').waitFor()
    await seen.page.locator('.tile .big', { hasText: '$12.00' }).first().waitFor()
    await seen.page.waitForSelector('.waiting', { state: 'detached' })
    expect(times).to.be.at.least(2)
    expect(seen.faults).to.deep.equal([])
    await seen.close()
  })

  it('keeps its figures through an outage, says that they may be old, and goes on by itself', async () => {
    const seen = await look(org, { expected })
    await seen.page.locator('.tile .big', { hasText: '$12.00' }).first().waitFor()
    await seen.page.clock.install()
    await seen.page.route(figures, (route) => route.fulfill(problem(503, 'unavailable', 'A store is away.')))
    await seen.page.evaluate(() => dispatchEvent(new Event('popstate')))
    await sendLoneLines(org, [[today(org), 'i-2', 3]])
    await seen.page.waitForSelector('.waiting')
    expect(await seen.page.locator('.tile .big', { hasText: '$12.00' }).first().isVisible()).to.equal(true)
    await seen.page.unroute(figures)
    // The longest pause between two tries.
    await seen.page.clock.fastForward(5_000)
    await seen.page.locator('.tile .big', { hasText: '$15.00' }).first().waitFor()
    await seen.page.waitForSelector('.waiting', { state: 'detached' })
    expect(seen.faults).to.deep.equal([])
    await seen.close()
  })

  deepIt('survives an edge that is started again: says so, keeps what it shows, and is live again', async () => {
    const app = org.product.get(tokens.edge)
    const first = await serve(app, { port: 0, host: '127.0.0.1' })
    const seen = await look({ ...org, url: first.url }, { expected })
    await seen.page.waitForSelector('.live.live')
    await seen.page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    await first.close()
    await seen.page.waitForSelector('.live.away')
    const again = await serve(app, { port: first.port, host: '127.0.0.1' })
    await seen.page.waitForSelector('.live.live')
    // What happened meanwhile is asked for, though nobody told of it.
    await sendLoneLines(org, [[today(org), 'i-2', 9]])
    await seen.page.locator('.tile .big', { hasText: '$21.00' }).first().waitFor()
    expect(await seen.page.evaluate(() => 'isSame' in globalThis)).to.equal(true)
    expect(seen.faults).to.deep.equal([])
    await seen.close()
    await again.close()
  })

  deepIt('tells a viewer which right is missing, and no blank', async () => {
    const seen = await look(org, { role: 'viewer', expected })
    await seen.page.route('**/batch', (route) => route.fulfill(problem(403, 'forbidden', 'This needs service.view.')))
    await seen.page.goto(`${org.url}/console/`)
    await settled(seen.page)
    await seen.page.getByText('Your role does not allow this').first().waitFor()
    await seen.page.getByText('This needs service.view.').first().waitFor()
    await seen.close()
  })

  deepIt('asks for a sign-in when the session has ended elsewhere, and comes back to where it was', async () => {
    const seen = await look(org, { expected })
    await seen.page.waitForSelector('.live.live')
    await org.connections.store.pool.query(`update session set revoked_at = now() where org_id = $1`, [org.orgId])
    await seen.context.clearCookies()
    await seen.page.goto(`${org.url}/console/?range=7d`)
    await seen.page.waitForSelector('.sign-in')
    expect(new URL(seen.page.url()).search).to.equal('?range=7d')
    await seen.close()
  })

  deepIt('says so where an address is not understood, and shows no other figure for it', async () => {
    const seen = await look(org, { expected })
    await seen.open('costs?from=2026-13-01&to=zz&compare=often')
    const note = seen.page.locator('.note', { hasText: 'which is not valid and is ignored' })
    expect(await note.locator('code').allTextContents()).to.deep.equal(['from=2026-13-01', 'to=zz', 'compare=often'])
    await note.getByRole('button', { name: 'Remove' }).click()
    expect(new URL(seen.page.url()).search).to.equal('')
    await seen.open('?receipt=javascript%3Aalert(1)')
    await seen.page.getByText('This address does not name a figure.').waitFor()
    expect(seen.faults).to.deep.equal([])
    await seen.close()
  })

  deepIt('keeps the page when a view cannot be loaded, and opens it once the service answers', async () => {
    const app = org.product.get(tokens.edge)
    const first = await serve(app, { port: 0, host: '127.0.0.1' })
    const seen = await look({ ...org, url: first.url }, { expected })
    await seen.page.waitForSelector('.live.live')
    await first.close()
    await seen.page.getByRole('link', { name: 'Sources' }).click()
    await seen.page.getByText('Not connected').first().waitFor()
    const again = await serve(app, { port: first.port, host: '127.0.0.1' })
    await seen.page.getByRole('heading', { name: 'Sources' }).waitFor()
    expect(seen.faults).to.deep.equal([])
    await seen.close()
    await again.close()
  })

  deepIt('loads itself anew, once, when its files were replaced by those of another version', async () => {
    const seen = await look(org, { expected })
    let refused = 0
    await seen.page.route('**/file/overview-*.js', (route) =>
      refused++ === 0 ? route.fulfill(problem(404, 'not_found', 'gone')) : route.continue(),
    )
    await seen.page.goto(`${org.url}/console/`)
    await until('it is loaded anew', async () => refused >= 2)
    await settled(seen.page)
    expect(await seen.page.locator('h1').textContent()).to.equal('Overview')
    await seen.close()
  })
})

/** A way to the edge that can fall silent: whatever is under way hangs, and nobody is told that it is cut. */
async function silentWay(port: number): Promise<{ port: number; hold: (isHeld: boolean) => void; end: () => void }> {
  const pairs = new Set<Socket>()
  let isHeld = false
  const way = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      pairs.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        pairs.delete(from)
        to.destroy()
      })
      if (isHeld) from.pause()
    }
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  return {
    port: (way.address() as AddressInfo).port,
    hold: (held) => {
      isHeld = held
      for (const one of pairs) one[held ? 'pause' : 'resume']()
    },
    end: () => {
      way.close()
      for (const one of pairs) one.destroy()
    },
  }
}

deepConsole('the console where the stream of events falls silent', () => {
  it('says within a minute that what it shows may be old, and catches up once it is there again', async () => {
    const org = await tenant()
    await deliver(org, { id: 'e1', at: now(org), items: [[today(org), 'i-1', 12]] })
    const edge = await serve(org.product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
    const way = await silentWay(edge.port)
    const seen = await look({ ...org, url: `http://127.0.0.1:${way.port}` }, { expected: /ERR_/ })
    const { page } = seen
    await page.clock.install()
    await page.reload()
    await page.waitForSelector('.live.live')
    const figure = (text: string) => page.locator('.tile .big', { hasText: text }).first().waitFor()
    await figure('$12.00')
    way.hold(true)
    await deliver(org, { id: 'e2', at: now(org), items: [[today(org), 'i-1', 21]] })
    await page.clock.fastForward(60_000)
    await page.waitForSelector('.live.away')
    await page.clock.fastForward(4_000)
    await page.locator('.waiting', { hasText: 'The data shown may be out of date' }).waitFor()
    await figure('$12.00')
    way.hold(false)
    await page.clock.fastForward(60_000)
    await page.waitForSelector('.live.live')
    await figure('$21.00')
    await page.waitForSelector('.waiting', { state: 'detached' })
    expect(seen.faults).to.deep.equal([])
    await seen.close()
    way.end()
    await edge.close()
  })
})
