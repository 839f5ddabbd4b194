import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'
import { inProcess } from '#test/harness/command-line.ts'
import { csv } from '#test/streams/billing/reading.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

interface Amount {
  lines: number
  billed: string
}

interface Report {
  accepted: number
  refused: number
  exportId: string
  exportedAt: string
  state: string
  periods: { period: string; before: Amount | null; after: Amount | null }[]
  part?: { index: number; of: number; missing: number[] }
  fileWarnings: object[]
  error?: { message: string }
}

const [monday, noon] = ['2024-10-07T03:00:00Z', '2024-10-07T12:00:00Z']
const [tuesday, wednesday] = ['2024-10-08T03:00:00Z', '2024-10-09T03:00:00Z']

const line = (resource: string, cost: string, day = '2024-09-19', more = {}) => ({
  BilledCost: cost,
  ChargePeriodStart: `${day}T00:00:00Z`,
  BillingPeriodStart: `${day.slice(0, 7)}-01T00:00:00Z`,
  ProviderName: 'AWS',
  BillingCurrency: 'USD',
  ResourceId: resource,
  ...more,
})

describe('tidemark ingest billing of bills that are delivered again', () => {
  let org: Tenant
  let folder: string
  let env: Record<string, string | undefined>
  before(async () => {
    folder = testFolder()
    const { postgres, nats, clickhouse } = await testStores()
    env = {
      ...inherited,
      TIDEMARK_DATA_DIR: folder,
      TIDEMARK_LANES: String(testLanes),
      POSTGRES_URL: postgres.url,
      NATS_URL: nats.url,
      CLICKHOUSE_URL: `${clickhouse.url}/${clickhouse.database}`,
    }
  })
  beforeEach(async () => void (org = await tenant()))

  const file = (name: string, ...rows: Record<string, string>[]): string => {
    const at = path.join(folder, name)
    writeFileSync(at, csv(...rows))
    return at
  }
  async function run(args: readonly string[]) {
    const { code, stdout: out, stderr: said } = await inProcess(env, ...args)
    return { code, out, said }
  }
  const argsOf = (args: readonly string[]) => [
    'ingest',
    'billing',
    ...args,
    '--org',
    org.orgId,
    '--account',
    'a',
    '--wait',
  ]
  /** What a person reads behind the counts. */
  async function told(...args: string[]) {
    const { code, out, said } = await run(argsOf(args))
    const lines = out.trimEnd().split('\n')
    const counts = lines.findLastIndex((one) => one.startsWith('billed: '))
    return { code, said, lines: lines.slice(counts + 1) }
  }
  async function report(...args: string[]) {
    const { code, out } = await run([...argsOf(args), '--json'])
    return { code, ...(JSON.parse(out) as Report) }
  }
  const shows = async () => {
    const sql = `SELECT toString(sum(BilledCost)) AS usd, count() AS lines FROM cost_lines WHERE x_OrgId = {org:String}`
    const [found] = await org.facts<{ usd: string; lines: number }>(sql)
    return [found!.usd, Number(found!.lines)]
  }

  const four = (...costs: string[]) => costs.map((cost, n) => line(`i-${n}`, cost, `2024-09-${19 + n}`))
  const seen = 'bills from 2024-09-19 to 2024-09-22: $URL/reports/summary?period=2024-09'
  const hint = 'to send another part of the same bill use --part; to add lines to it use --add'

  it('replaces the older bill by a whole one alone, and says so with the figures of both, whatever the ids of their lines [BILL-09]', async () => {
    const first = file('first.csv', ...four('40', '30', '20', '10'))
    expect(await told(first, '--exported-at', monday)).to.deep.include({
      code: 0,
      lines: ['2024-09: 4 lines, 100.00 USD', seen],
    })
    expect(await shows()).to.deep.equal(['100', 4])
    const partly = file('partly.csv', ...four('40', '30', '20'), line('i-9', 'ten'))
    const held = await report(partly, '--exported-at', noon)
    expect([held.code, held.accepted, held.refused, held.state]).to.deep.equal([4, 3, 1, 'held'])
    expect(await shows()).to.deep.equal(['100', 4])
    const second = file('second.csv', ...four('40', '30', '20', '8.4').map((row) => ({ ...row, x_Id: 'new' })))
    expect(await told(second, '--exported-at', tuesday)).to.deep.include({
      code: 0,
      lines: [`2024-09: replaces the export of ${monday}: 4 lines, 100.00 -> 98.40 USD`, hint, seen],
    })
    expect(await shows()).to.deep.equal(['98.4', 4])
    // What is said in these cases test/config/bill-outcome.test.ts shows.
    if (!isDeep) return
    expect(await told(first, '--exported-at', monday)).to.deep.include({
      code: 0,
      lines: [`2024-09: the newer export of ${tuesday} is already current; nothing changed`, seen],
    })
    // Of the same time: the later command is the newer bill.
    const again = await report(first, '--exported-at', tuesday)
    expect([again.code, again.state, again.exportedAt]).to.deep.equal([0, 'replaced', '2024-10-08T03:00:00.000Z'])
    expect(again.periods.map(({ period, before, after }) => [period, before?.billed, after?.billed])).to.deep.equal([
      ['2024-09', '98.4', '100'],
    ])
    expect(await shows()).to.deep.equal(['100', 4])
  })

  deepIt('counts a file that is given twice once, whatever it is called, and names both', async () => {
    const [rows, other] = [four('10', '11'), four('1')]
    const [first, second] = [file('d1.csv', ...rows), file('d2.csv', ...rows)]
    const packed = path.join(folder, 'd1.csv.gz')
    writeFileSync(packed, gzipSync(csv(...rows)))
    const { code, lines } = await told(first, second, packed, file('d3.csv', ...other), '--exported-at', monday)
    const same = `Skipped: identical to ${first}.`
    expect([code, lines.slice(0, 3)]).to.deep.equal([
      0,
      [`warning: ${second}: ${same}`, `warning: ${packed}: ${same}`, '2024-09: 3 lines, 22.00 USD'],
    ])
  })

  deepIt('takes nothing of a bill that another account has until that is confirmed [G-116]', async () => {
    const accounts = ['11111111111', '222222222222'].map((SubAccountId) => ({ SubAccountId }))
    const bill = file('two.csv', ...accounts.map((more, n) => line(`i-${n}`, `${40 - 10 * n}`, '2024-09-19', more)))
    const places = [
      'added leading zeros that spreadsheets remove from account IDs: 011111111111',
      'bills from 2024-09-19 to 2024-09-19: $URL/reports/summary?period=2024-09',
    ]
    const first = await told(bill, '--exported-at', monday)
    expect(first).to.deep.include({ code: 0, lines: ['2024-09: 2 lines, 70.00 USD', ...places] })
    const under = (...more: string[]) =>
      run(['ingest', 'billing', bill, '--org', org.orgId, '--account', 'b', '--exported-at', monday, '--wait', ...more])
    const stopped = await under()
    expect(stopped.code).to.equal(5)
    expect(stopped.out).to.include('2024-09: 2 of the 2 accounts in this bill are already in the bill of a\n')
    expect(await shows()).to.deep.equal(['70', 2])
    expect((await under('--yes')).code).to.equal(0)
    expect(await shows()).to.deep.equal(['140', 4])
    // Its own newer bill counts nothing twice that was not before.
    expect((await under()).code).to.equal(0)
  })

  deepIt(
    'takes the newest modification time of the files for the time of the bill, whatever their rows say',
    async () => {
      const rows = four('1', '2').map((row) => ({ ...row, x_ExportTime: '2024-12-24T00:00:00Z' }))
      const files = [file('early.csv', rows[0]!), file('late.csv', rows[1]!)]
      utimesSync(files[0]!, new Date(tuesday), new Date(tuesday))
      utimesSync(files[1]!, new Date(monday), new Date(monday))
      expect((await report(...files)).exportedAt).to.equal('2024-10-08T03:00:00.000Z')
      expect(await shows()).to.deep.equal(['3', 2])
      utimesSync(files[0]!, new Date('2100-01-01'), new Date('2100-01-01'))
      const { code, error } = await report(...files)
      expect([code, error!.message]).to.deep.equal([
        2,
        'The export time 2100-01-01T00:00:00.000Z is more than a day in the future. Set it with --exported-at.',
      ])
    },
  )

  deepIt(
    'holds a bill that says nothing of days that have lines, until somebody says which days it is of',
    async () => {
      await report(file('whole.csv', ...four('40', '30', '20', '10')), '--exported-at', monday)
      const week = file('week.csv', ...four('41', '31', '21'))
      const held = await told(week, '--exported-at', tuesday)
      expect([held.code, held.lines[0]]).to.deep.equal([
        4,
        'on hold: the file has no lines for 2024-09-22, which have lines now. Nothing was replaced',
      ])
      expect(await shows()).to.deep.equal(['100', 4])
      const own = await told(week, '--exported-at', tuesday, '--days')
      expect([own.code, own.lines[0]]).to.deep.equal([
        0,
        '2024-09: replaces the export of 2024-10-07T03:00:00Z: 3 lines, 90.00 -> 93.00 USD',
      ])
      expect(await shows()).to.deep.equal(['103', 4])
      expect((await told(week, '--exported-at', tuesday, '--whole')).code).to.equal(0)
      expect(await shows()).to.deep.equal(['93', 3])
    },
  )

  deepIt(
    'holds a bill that is less than half of what it would replace, and prints the command that takes it [BILL-09]',
    async () => {
      await report(file('whole.csv', ...four('40', '30', '20', '10')), '--exported-at', monday)
      const less = file("it's less.csv", line('i-0', '20'))
      const { code, lines } = await told(less, '--exported-at', tuesday)
      expect(code).to.equal(4)
      expect(lines.slice(0, 3)).to.deep.equal([
        'on hold: less than half of the current bill. Nothing was replaced',
        '2024-09: the current bill has 4 lines, 100.00 USD, this export has 1 line, 20.00 USD',
        'to replace it anyway:',
      ])
      expect(await shows()).to.deep.equal(['100', 4])
      const command = lines[3]!.trim().replace(/^npm run -s tidemark -- /, '')
      // As a shell reads it: the name of the file has a quote and a space.
      const child = spawn('sh', ['-c', `printf '%s\\n' ${command}`], { cwd: folder, env })
      const args = (await Array.fromAsync(child.stdout)).join('').trimEnd().split('\n')
      const { out } = await run([...args, '--json'])
      const taken = JSON.parse(out) as Report
      expect([taken.state, taken.periods[0]!.before!.billed, taken.periods[0]!.after!.billed]).to.deep.equal([
        'replaced',
        '100',
        '20',
      ])
      expect(await shows()).to.deep.equal(['20', 1])
    },
  )

  const heldInWords = async (partly: string) => {
    const { code, lines } = await told(partly, '--exported-at', tuesday)
    expect(code).to.equal(4)
    expect(lines.slice(0, 3)).to.deep.equal([
      'on hold: 1 row was rejected, so this bill is incomplete, and the current bill is complete. Nothing was replaced',
      '2024-09: 3 lines, 90.00 USD stand',
      'to replace it anyway:',
    ])
  }

  deepIt(
    'replaces nothing that is whole by a bill of which rows were refused, but shows it where nothing stands',
    async () => {
      const rows = [...four('40', '30', '20'), line('i-9', 'ten')]
      const partly = file('partly.csv', ...rows)
      const first = await report(partly, '--exported-at', monday)
      expect([first.code, first.accepted, first.refused, first.state]).to.deep.equal([3, 3, 1, 'replaced'])
      expect(await shows()).to.deep.equal(['90', 3])
      if (isDeep) await heldInWords(partly)
      const held = await report(partly, '--exported-at', tuesday)
      expect([held.code, held.state, held.periods[0]!.before!.billed, held.periods[0]!.after]).to.deep.equal([
        4,
        'held',
        '90',
        null,
      ])
      expect(await shows()).to.deep.equal(['90', 3])
      if (!isDeep) return
      const less = file('partly less.csv', ...rows.slice(1))
      const taken = await report(less, '--exported-at', wednesday, '--yes')
      expect([taken.code, taken.state]).to.deep.equal([3, 'replaced'])
      expect(await shows()).to.deep.equal(['50', 2])
    },
  )

  deepIt('counts a file that is sent in two parts once, and a part that has no other file ends too', async () => {
    const rows = four('41', '9', '8')
    const one = file('one.csv', ...rows)
    const packed = path.join(folder, 'again.csv.gz')
    writeFileSync(packed, gzipSync(csv(...rows)))
    expect((await report(one, '--part', '1/3', '--exported-at', tuesday)).state).to.equal('waiting')
    const second = await report(packed, '--part', '2/3')
    const warnings = [{ file: packed, code: 'file_duplicate', message: 'Skipped: identical to a file of part 1.' }]
    expect([second.code, second.state, second.part!.missing]).to.deep.equal([0, 'waiting', [3]])
    expect(second.fileWarnings).to.deep.equal(warnings)
    const third = await report(packed, file('three.csv', line('i-9', '2')), '--part', '3/3')
    expect([third.code, third.state, third.fileWarnings]).to.deep.equal([0, 'replaced', warnings])
    // 41 + 9 + 8 + 2
    expect(await shows()).to.deep.equal(['60', 4])
  })

  deepIt('takes a bill in parts, in any order, and replaces once all are there', async () => {
    await report(file('whole.csv', ...four('40', '30')), '--exported-at', monday)
    const [one, two] = [file('one.csv', ...four('41', '31')), file('two.csv', ...four('41', '9', '8'))]
    const second = await told(two, '--part', '2/2', '--exported-at', tuesday)
    expect(second.lines[0]).to.equal(
      'part 2 of 2 received; still missing: 1. Nothing is replaced until all parts have arrived',
    )
    expect(second.code).to.equal(0)
    expect(await shows()).to.deep.equal(['70', 2])
    const again = await told(two, '--part', '2/2')
    expect([again.code, again.said.includes('missing parts: 1. Start another export with --new.')]).to.deep.equal([
      1,
      true,
    ])
    const last = await report(one, '--part', '1/2')
    expect([last.state, last.part, last.exportedAt]).to.deep.equal([
      'replaced',
      { index: 1, of: 2, missing: [] },
      '2024-10-08T03:00:00.000Z',
    ])
    // The first line of both parts is the same: it is in the bill twice.
    expect(await shows()).to.deep.equal(['130', 5])
    const begun = await report(one, '--part', '1/2', '--exported-at', wednesday)
    expect([begun.state, begun.part!.missing]).to.deep.equal(['waiting', [2]])
  })

  deepIt('holds a bill in parts once all are there, and takes it when one is sent again with --yes', async () => {
    await report(file('whole.csv', ...four('40', '30', '20', '10')), '--exported-at', monday)
    const [one, two] = [file('one.csv', line('i-0', '1')), file('two.csv', line('i-0', '2'))]
    expect((await report(one, '--part', '1/2', '--exported-at', tuesday)).code).to.equal(0)
    const held = await report(two, '--part', '2/2')
    expect([held.code, held.state, held.periods[0]!.after!.lines]).to.deep.equal([4, 'held', 2])
    const taken = await report(two, '--part', '2/2', '--yes')
    expect([taken.code, taken.state, taken.exportId]).to.deep.equal([0, 'replaced', held.exportId])
    expect(await shows()).to.deep.equal(['3', 2])
  })

  deepIt('adds single lines beside a bill, which stay when it is replaced', async () => {
    await report(file('bill.csv', ...four('40', '30')), '--exported-at', monday)
    const added = await told(file('credit.csv', line('credit', '-5')), '--add')
    expect([added.code, added.lines]).to.deep.equal([
      0,
      ['bills from 2024-09-19 to 2024-09-19: $URL/reports/summary?period=2024-09'],
    ])
    expect(await shows()).to.deep.equal(['65', 3])
    await report(file('bill.csv', ...four('40', '31')), '--exported-at', tuesday)
    expect(await shows()).to.deep.equal(['66', 3])
  })

  deepIt('counts a line once that several files name, and takes what the last one says', async () => {
    const cur = (id: string, cost: string) => ({
      'identity/LineItemId': id,
      'identity/TimeInterval': '2024-09-19T00:00:00Z/2024-09-20T00:00:00Z',
      'bill/BillingPeriodStartDate': '2024-09-01T00:00:00Z',
      'lineItem/LineItemType': 'Usage',
      'lineItem/UsageStartDate': '2024-09-19T00:00:00Z',
      'lineItem/UnblendedCost': cost,
      'lineItem/CurrencyCode': 'USD',
    })
    const files = [
      file('cur-1.csv', cur('L1', '10'), cur('L2', '20')),
      file('cur-2.csv', cur('L1', '11'), cur('L3', '30')),
    ]
    const { state, periods, accepted } = await report(...files, '--exported-at', monday)
    expect([state, accepted, periods[0]!.after!.lines, periods[0]!.after!.billed]).to.deep.equal([
      'replaced',
      4,
      3,
      '61',
    ])
    expect(await shows()).to.deep.equal(['61', 3])
  })

  deepIt('takes more billing periods than one end can name', async () => {
    const months = Array.from({ length: 40 }, (_, n) => new Date(Date.UTC(2020, n, 3)).toISOString().slice(0, 10))
    const { state, code, periods } = await report(file('years.csv', ...months.map((day) => line('i', '1', day))))
    expect([code, state, periods.length]).to.deep.equal([0, 'replaced', 40])
    expect(await shows()).to.deep.equal(['40', 40])
    const parts = file('years.csv', ...months.map((day) => line('i', '2', day)))
    const refused = await report(parts, '--part', '1/1')
    expect([refused.code, refused.error!.message.includes('36 billing periods')]).to.deep.equal([2, true])
    expect(await shows()).to.deep.equal(['40', 40])
  })

  deepIt('replaces nothing when a file breaks half-way', async () => {
    await report(file('bill.csv', ...four('40', '30')), '--exported-at', monday)
    const torn = path.join(folder, 'torn.csv')
    const many = Array.from({ length: 10_000 }, (_, n) => line(`i-${n}`, '1'))
    writeFileSync(torn, `${csv(...many)}"2024`)
    const { code, error } = await report(torn, '--exported-at', tuesday)
    expect(code).to.equal(1)
    const rows = /were sent: .*torn\.csv: (\d+) rows\. Nothing was replaced, because the export is incomplete/.exec(
      error!.message,
    )
    expect(Number(rows?.[1])).to.be.above(0)
    expect(await shows()).to.deep.equal(['70', 2])
  })

  it('sends nothing and says so when no row is accepted, and refuses options that do not go together', async () => {
    const { code, lines } = await told(file('none.csv', line('i', 'x')))
    expect([code, lines]).to.deep.equal([1, ['nothing was sent and no bill was changed']])
    const bill = file('bill.csv', ...four('1'))
    for (const args of [['--add', '--part', '1/2'], ['--add', '--yes'], ['--new'], ['--part', '3/2']])
      expect((await report(bill, ...args)).code, args.join(' ')).to.equal(2)
  })
})

describe('tidemark ingest billing where nothing runs', () => {
  deepIt(
    'says at once that the next start reads it; with --wait it is read, and nothing whole replaced by what is not',
    async function () {
      this.timeout(180_000)
      const folder = testFolder()
      const env = {
        ...inherited,
        TIDEMARK_DATA_DIR: folder,
        TIDEMARK_LANES: '2',
        TIDEMARK_DEMO: '0',
      }
      const run = async (...args: string[]) => {
        const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), ...args], { cwd: folder, env })
        const [out, said] = [Array.fromAsync(child.stdout), Array.fromAsync(child.stderr)]
        const [code] = (await once(child, 'close')) as [number | null]
        return { code, out: (await out).join(''), said: (await said).join('') }
      }
      const { id } = JSON.parse((await run('org', 'create', 'x', '--json')).out) as { id: string }
      const [whole, partly] = ['whole.csv', 'partly.csv'].map((name) => path.join(folder, name))
      writeFileSync(whole!, csv(line('i-1', '7'), line('i-2', '3')))
      writeFileSync(partly!, csv(line('i-1', '7'), line('i-2', 'x')))
      const ingest = (file: string, ...more: string[]) =>
        run('ingest', 'billing', file, '--org', id, '--account', 'a', ...more)
      const sent = await ingest(whole!, '--exported-at', monday)
      expect(sent.code).to.equal(0)
      expect(sent.out).to.contain('\nsent; Tidemark is not running and will process it on the next start\n')
      const held = await ingest(partly!, '--exported-at', tuesday)
      expect(held.code).to.equal(4)
      expect(held.out).to.contain('earlier lines are still being processed')
      const part = await ingest(whole!, '--exported-at', tuesday, '--part', '1/2', '--json')
      expect(JSON.parse(part.out)).to.deep.include({ state: 'waiting', part: { index: 1, of: 2, missing: [2] } })
      const read = await ingest(whole!, '--exported-at', wednesday, '--wait')
      expect(read.out).to.contain(`\n2024-09: replaces the export of ${monday}: 2 lines, 10.00 -> 10.00 USD\n`)
    },
  )
})
