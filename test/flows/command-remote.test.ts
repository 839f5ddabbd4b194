/** Commands of a user who has an address and a token, and no stores. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { addDays } from '#engine/value/day.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder } from '#test/harness/stores.ts'

const today = new Date().toISOString().slice(0, 10)
const [first, second] = [addDays(today, -5), addDays(today, -4)]
const line = (day: string, serviceName: string, costUSD: number) => ({
  lineId: `${day}/${serviceName}`,
  provider: 'aws' as const,
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  serviceName,
  usageDate: day,
  costUSD,
})

describe('commands that call a Tidemark elsewhere', () => {
  let org: Tenant
  const home = testFolder()
  const dataDir = path.join(testFolder(), 'none')
  const env = { XDG_CONFIG_HOME: home, TIDEMARK_DATA_DIR: dataDir }
  const run = (...args: string[]) => inProcess(env, ...args)
  const profiles = path.join(home, 'tidemark', 'profiles.json')
  const days = ['--from', first, '--to', second]
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [line(first, 'ec2', 10), line(second, 'ec2', 30), line(second, 'rds, "db"', 2.5)])
    const file = path.join(home, 'token')
    writeFileSync(file, `${org.token}\n`)
    const added = await run('profile', 'add', 'work', '--url', `${org.url}/`, '--token-file', file)
    expect([added.code, added.stderr]).to.deep.equal([0, ''])
  })

  it('keep the token where only the user can read it, and never print it', async () => {
    expect(statSync(profiles).mode & 0o777).to.equal(0o600)
    expect(JSON.parse(readFileSync(profiles, 'utf8')).profiles.work.token).to.equal(org.token)
    const { stdout } = await run('profile', 'list', '--json')
    expect(JSON.parse(stdout)).to.deep.equal([{ name: 'work', url: org.url, isCurrent: true }])
  })

  it('show the figures of the API, as text, JSON and CSV, and make no data folder', async () => {
    const { stdout, stderr } = await run('costs', ...days)
    expect(stderr).to.equal('')
    expect(stdout.split('\n').map((row) => row.trimEnd().split(/ {2,}/).slice(0, 2))).to.deep.equal([
      ['SERVICE_NAME', 'COST USD'],
      ['ec2', '40.00'],
      ['rds, "db"', '2.50'],
      ['Total', '42.50'],
      [''],
    ])
    const csv = await run('costs', ...days, '--csv')
    expect(csv.stdout.split('\r\n')[2]).to.match(/^"rds, ""db""",2\.50,/)
    const daily = await run('costs', ...days, '--daily', '--csv')
    expect(daily.stdout).to.equal(
      `PERIOD,ec2,"rds, ""db""",Total\r\n${first},10.00,0.00,10.00\r\n${second},30.00,2.50,32.50\r\n`,
    )
    const json = await run('receipt', ...days, '--filter', 'filter[service_name]=ec2', '--json')
    expect(JSON.parse(json.stdout)).to.deep.include({ total: 2, totalUSD: '40' })
    const api = await run('api', 'GET', `/reports/summary?from=${first}&to=${second}`)
    expect(JSON.parse(api.stdout).data).to.include({ totalCostUSD: 42.5 })
    expect(existsSync(dataDir)).to.equal(false)
  })

  it('change what the token may change', async () => {
    const { code, stdout } = await run('policy', 'list')
    expect([code, stdout]).to.deep.equal([0, 'No policies.\n'])
    const made = await run('api', 'POST', '/teams', '--body', '{"name":"Shop"}')
    expect(made.code).to.equal(0)
    const teams = await run('team', 'costs', ...days, '--json')
    expect(JSON.parse(teams.stdout).map(({ teamName }: any) => teamName)).to.include('Unassigned')
  })

  it('are refused in the words of the API, and say what cannot be reached', async () => {
    const wrong = await run('costs', '--from', first, '--to', addDays(first, -1))
    expect([wrong.code, wrong.stdout]).to.deep.equal([1, ''])
    expect(wrong.stderr).to.match(/^tidemark costs: /)
    const unknown = await inProcess({ ...env, TIDEMARK_URL: org.url, TIDEMARK_TOKEN: 'svc_pat_nobody' }, 'forecast')
    expect([unknown.code, unknown.stderr]).to.satisfy(([code, said]: any) => code === 1 && /token/i.test(said))
    const away = await inProcess({ ...env, TIDEMARK_URL: 'http://127.0.0.1:9', TIDEMARK_TOKEN: 'x' }, 'forecast')
    expect([away.code, away.stderr]).to.satisfy(
      ([code, said]: any) => code === 1 && said.startsWith('tidemark forecast: http://127.0.0.1:9 cannot be reached: '),
    )
    const lacking = await inProcess({ ...env, TIDEMARK_URL: org.url }, 'forecast')
    expect(lacking.stderr).to.contain('TIDEMARK_TOKEN must be set')
  })

  it('leave this machine’s own stores alone, unless it is named', async () => {
    const { code, stderr } = await run('org', 'list')
    expect([code, stderr]).to.deep.equal([
      2,
      `tidemark org list: "org list" works on the stores of the product itself, but work (${org.url}) is selected. On the product's machine, set TIDEMARK_PROFILE=local.\n`,
    ])
    const local = await inProcess({ ...env, TIDEMARK_PROFILE: 'local' }, 'costs')
    expect([local.code, local.stderr]).to.satisfy(
      ([code_, said]: any) => code_ === 2 && said.includes('--org is missing'),
    )
    // TIDEMARK_URL says where the API is, as for other programs; it selects no profile for commands on the stores.
    const own = await inProcess(
      { ...env, XDG_CONFIG_HOME: testFolder(), TIDEMARK_URL: org.url, TIDEMARK_TOKEN: 'x' },
      'pat',
      'list',
    )
    expect([own.code, own.stderr]).to.deep.equal([2, 'tidemark pat list: "pat list" needs --org.\n'])
    const none = await inProcess({ ...env, TIDEMARK_PROFILE: 'other' }, 'costs')
    expect(none.stderr).to.contain('There is no profile other.')
  })

  it('are refused a second format, and CSV of what is no table', async () => {
    expect((await run('costs', '--csv', '--json')).code).to.equal(2)
    expect((await run('profile', 'use', 'work', '--csv')).code).to.equal(2)
  })
})
