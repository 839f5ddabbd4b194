/** `tidemark mcp`, started as programs of people's machines start it: by a client that was not written here. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { inherited, testFolder } from '#test/harness/stores.ts'

describe('tidemark mcp', () => {
  let org: Tenant
  const opened: Client[] = []
  const started = async (args: readonly string[], env: Record<string, string> = {}) => {
    const client = new Client({ name: 'somebody', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ['--disable-warning=ExperimentalWarning', path.join(root, 'config/main.ts'), 'mcp', ...args],
        env: { ...(inherited as Record<string, string>), TIDEMARK_DATA_DIR: testFolder(), ...env },
        stderr: 'ignore',
      }),
    )
    opened.push(client)
    return client
  }
  before(async () => void (org = await tenant()))
  after(() => Promise.all(opened.map((one) => one.close())))

  deepIt('passes on what is asked and answered, with the token of a file', async () => {
    const file = path.join(testFolder(), 'token')
    writeFileSync(file, `${org.token}\n`)
    const one = await started(['--url', `${org.url}/`, '--token-file', file])
    const { tools } = await one.listTools()
    expect(tools.map(({ name }) => name)).to.include.members(['get_cost_drivers', 'create_schedule'])
    await org.send('POST', '/teams', { name: 'Shop' })
    const { content } = (await one.callTool({ name: 'list_teams', arguments: {} })) as any
    expect(JSON.parse(content[0].text).data.items.map(({ name }: any) => name)).to.deep.equal(['Shop'])
  })

  deepIt('takes the token of its environment', async () => {
    const one = await started(['--url', org.url], { TIDEMARK_TOKEN: org.token })
    const { tools } = await one.listTools()
    expect(tools.map(({ name }) => name)).to.include('get_cost_drivers')
  })

  deepIt('says what is in the way instead of waiting: a token nobody knows, a product that is not there', async () => {
    const cases: [url: string, token: string, why: RegExp][] = [
      [org.url, 'svc_pat_nobody', /401|invalid_token|Unauthorized/i],
      ['http://127.0.0.1:9', org.token, /fetch failed|ECONNREFUSED/],
    ]
    for (const [url, token, why] of cases) {
      const said = await started(['--url', url], { TIDEMARK_TOKEN: token }).then(
        () => 'not refused',
        (error: Error) => error.message,
      )
      expect(said).to.match(why)
    }
  })

  it('starts with neither a token nor an address that is none', async () => {
    const env = { TIDEMARK_DATA_DIR: testFolder() }
    const none = await inProcess(env, 'mcp', '--url', org.url)
    expect([none.code, none.stderr]).to.satisfy(([code, said]: any) => code === 2 && said.includes('TIDEMARK_TOKEN'))
    const wrong = await inProcess({ ...env, TIDEMARK_TOKEN: 'x' }, 'mcp', '--url', 'ftp://x')
    expect([wrong.code, wrong.stderr]).to.satisfy(([code, said]: any) => code === 2 && said.includes('ftp://x'))
  })
})
