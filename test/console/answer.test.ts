// tier: deep
import { expect } from 'chai'
import type { Route } from 'playwright-core'
import { describeConsole, look, type Seen } from '#test/console/browser.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describeConsole('the console: a change whose answer does not come', () => {
  let org: Tenant
  let seen: Seen
  const button = (name: string) => seen.page.getByRole('button', { name, exact: true })
  const form = () => seen.page.locator('section.panel:has(h2:text-is("Invite a member"))')
  const problem = (status: number, code: string, detail: string, headers = {}) => ({
    status,
    headers,
    contentType: 'application/problem+json',
    body: JSON.stringify({ type: `urn:tidemark:problem:${code}`, title: code, status, detail, code }),
  })
  /** The keys under which changes were sent, in order. */
  let keys: string[] = []
  const answering = async (answer: (route: Route, at: number) => Promise<void>) => {
    keys = []
    await seen.page.unroute('**/members')
    await seen.page.route('**/members', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      keys.push(route.request().headers()['idempotency-key'] ?? '')
      return answer(route, keys.length)
    })
  }
  const invite = async (email: string) => {
    await form().getByLabel('Email').fill(email)
    await button('Invite').click()
  }
  const invited = async () =>
    (await org.get('/members')).body.data
      .filter((one: any) => one.status === 'invited')
      .map((one: any) => one.email)
      .toSorted()

  beforeEach(async () => {
    org ??= await tenant()
    seen = await look(org, { expected: /429|50[03]|ERR_FAILED/ })
    await seen.page.clock.install()
    await seen.open('members')
    await form().waitFor()
  })
  afterEach(async () => {
    expect(seen.faults).to.deep.equal([])
    await seen.close()
  })

  it('says that it is sent again while it is, that it is not any more once it is not, and is done once', async () => {
    await answering(async (route, at) => {
      if (at === 1) await route.fetch()
      await route.abort()
    })
    await invite('bo@example.com')
    await form().getByText('Retrying for a while; the change is applied only once, however often it is sent.').waitFor()
    for (let at = 0; at < 12 && !(await button('Try again').count()); at++) {
      const sent = keys.length
      await seen.page.clock.fastForward(5000)
      await seen.page
        .waitForFunction(
          () => [...document.querySelectorAll('button')].some((one) => one.textContent === 'Try again'),
          {
            timeout: 300,
          },
        )
        .catch(() => expect(keys.length).to.be.at.least(sent))
    }
    await form().getByText('It is unclear whether this succeeded').waitFor()
    expect(await form().textContent()).to.include('it is no longer retried automatically')
    expect(await form().textContent()).to.not.include('Retrying for a while')
    expect(keys.length).to.equal(11)
    const before = new Set(keys)
    await answering((route) => route.continue())
    await button('Try again').click()
    await form().getByText('bo@example.com has been invited.').waitFor()
    expect([new Set([...before, ...keys]).size, await invited()]).to.deep.equal([1, ['bo@example.com']])
  })

  it('has the same name until its answer came, whoever opens the form again, and another one for what was changed', async () => {
    await answering((route) => route.fulfill(problem(500, 'internal', 'Something broke on our side.')))
    await invite('cy@example.com')
    await form().getByText('It is unclear whether this succeeded').waitFor()
    expect(await form().textContent()).to.not.include('Retrying')
    await seen.page.getByRole('link', { name: 'Overview' }).click()
    await seen.page.getByRole('link', { name: 'Members' }).click()
    await invite('cy@example.com')
    await form().getByText('It is unclear whether this succeeded').waitFor()
    await invite('di@example.com')
    await seen.page.waitForFunction(() => !document.querySelector('button[disabled]'))
    expect([keys.length, keys[0] === keys[1], keys[1] === keys[2]]).to.deep.equal([3, true, false])
    await answering((route) => route.continue())
    await invite('cy@example.com')
    await form().getByText('cy@example.com has been invited.').waitFor()
    await invite('ed@example.com')
    await form().getByText('ed@example.com has been invited.').waitFor()
    expect(new Set(keys).size).to.equal(2)
  })

  it('says of its pace that it waits while it does, and that nothing was done once it has given up', async () => {
    await answering((route) =>
      route.fulfill(problem(429, 'rate_limited', 'Too many requests.', { 'Retry-After': '2' })),
    )
    await invite('fy@example.com')
    await form().getByText('Retrying in 2 seconds.').waitFor()
    for (let at = 0; at < 40 && !(await form().getByText('Nothing was changed').count()); at++)
      await seen.page.clock.runFor(1000)
    await form().getByText('Too many requests. Nothing was changed. Try again in 2 seconds.').waitFor()
    expect(await form().textContent()).to.not.include('Retrying')
    expect(await invited()).to.not.include('fy@example.com')
  })
})
