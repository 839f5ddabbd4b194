import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { overHttp, overStdio } from '#http/console/web/view/account/agent-config.ts'
import { routes } from '#http/index.ts'
import { toolsOf } from '#http/mcp/tool.ts'
import { deepConsole, findings, look, type Seen } from '#test/console/browser.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('configurations of agents', () => {
  it('are in the console as in the guide', () => {
    const guide = readFileSync(path.join(root, 'docs/agents.md'), 'utf8')
    const shown = Array.from(guide.matchAll(/```json\n([^]*?)```/g), ([, text]) => JSON.parse(text!) as object)
    const url = 'https://tidemark.example.com'
    expect([overHttp(url), overStdio(url)].map((text) => JSON.parse(text) as object)).to.deep.equal(shown)
  })
})

deepConsole('the console: agents', () => {
  let org: Tenant
  let seen: Seen
  before(async () => {
    org = await tenant()
    seen = await look(org)
  })
  after(() => seen?.close())

  it('are told where to ask, with this address in both configurations', async () => {
    await seen.open('account?tab=agents')
    const panel = seen.page.getByRole('region', { name: 'Agents', exact: true })
    expect(await panel.locator('p code').first().textContent()).to.equal(`${org.url}/mcp`)
    const command = `npm run -s tidemark -- pat create --org ${org.orgId} --role viewer --name agent`
    expect(await panel.locator('p code').nth(1).textContent()).to.equal(command)
    expect(await panel.locator('pre').allTextContents()).to.deep.equal([overHttp(org.url), overStdio(org.url)])
    expect(await findings(seen.page)).to.deep.equal([])
    expect(seen.faults).to.deep.equal([])
  })

  it('are told it on a phone in the dark too: axe-core, no sideways scroll, no fault', async () => {
    const narrow = await look(org, { theme: 'dark', width: 360, role: 'viewer' })
    await narrow.open('account?tab=agents')
    const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth
    expect([await findings(narrow.page), await narrow.page.evaluate(over), narrow.faults]).to.deep.equal([[], 0, []])
    await narrow.close()
  })

  it('have every tool that there is listed, with what it does, needs and changes', async () => {
    await seen.open('account?tab=agents')
    const rows = seen.page.getByRole('table', { name: 'Tools of agents' }).locator('tbody tr')
    const shown = await rows.evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)))
    const changing: Readonly<Record<string, string>> = {
      start_or_stop_resource: 'may stop or delete',
      create_schedule: 'adds',
      create_override: 'may stop or delete',
      end_override: 'may stop or delete',
    }
    const wanted = [...toolsOf(routes).values()].map(({ name, route }) => [
      name,
      route.summary,
      changing[name] ?? 'nothing',
      route.permission,
    ])
    expect(shown).to.deep.equal(wanted)
  })

  it('get a token that may look alone, unless its person chooses else', async () => {
    await seen.open('account?tab=agents')
    await seen.page.getByRole('link', { name: 'Create a token for an agent' }).click()
    await seen.page.getByRole('button', { name: 'Create token' }).click()
    const token = (await seen.page.locator('output').textContent())!
    expect((await ask('GET', '/auth/me', { token })).body.data).to.deep.include({ kind: 'pat', role: 'viewer' })
    const row = seen.page.getByRole('table', { name: 'Your tokens' }).locator('tbody tr')
    const cells = await row.evaluate((one) => [...one.children].slice(0, 2).map((cell) => cell.textContent))
    expect([cells[0]!.startsWith('agent'), cells[1]]).to.deep.equal([true, 'APIread-only'])
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_teams', arguments: {} } }
    const headers = { Accept: 'application/json, text/event-stream' }
    const { body } = await ask('POST', '/mcp', { token, body: message, headers })
    expect(JSON.parse(body.result.content[0].text).data.items).to.deep.equal([])
    await seen.page.getByLabel('Name', { exact: true }).fill('ci')
    await seen.page.getByLabel('Access', { exact: true }).selectOption('')
    await seen.page.getByRole('button', { name: 'Create token' }).click()
    await seen.page.getByRole('status', { name: 'Token ci' }).waitFor()
    const whole = (await seen.page.locator('output').textContent())!
    expect((await ask('GET', '/auth/me', { token: whole })).body.data).to.deep.include({ kind: 'pat', role: 'owner' })
    expect(seen.faults).to.deep.equal([])
  })

  it('that sign in are named to their user, who allows them what a viewer may, or more', async () => {
    const redirect_uri = `${org.url}/healthz`
    const registered = await ask('POST', '/oauth/register', {
      body: { client_name: 'Hosted agent', redirect_uris: [redirect_uri] },
    })
    const { client_id } = registered.body
    const verifier = 'v'.repeat(43)
    const code_challenge = createHash('sha256').update(verifier).digest('base64url')
    const asked = { client_id, redirect_uri, code_challenge, code_challenge_method: 'S256', response_type: 'code' }
    await seen.open(`authorize?${new URLSearchParams({ ...asked, state: 'xyz' })}`)
    await seen.page.getByRole('heading', { name: 'Hosted agent' }).waitFor()
    expect(await findings(seen.page)).to.deep.equal([])
    await seen.page.getByRole('button', { name: 'Allow' }).click()
    await seen.page.waitForURL(/[?&]code=/)
    const { searchParams, pathname } = new URL(seen.page.url())
    expect([pathname, searchParams.get('state')]).to.deep.equal(['/healthz', 'xyz'])
    const code = searchParams.get('code')!
    const form = { grant_type: 'authorization_code', code, client_id, redirect_uri, code_verifier: verifier }
    const answer = await fetch(`${org.url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) })
    const { access_token: token } = (await answer.json()) as { access_token: string }
    expect((await ask('GET', '/auth/me', { token })).body.data).to.deep.include({ kind: 'pat', role: 'viewer' })
    await seen.open(`authorize?${new URLSearchParams({ ...asked, code_challenge_method: 'plain' })}`)
    await seen.page.getByText('This request is not complete.').waitFor()
  })
})
