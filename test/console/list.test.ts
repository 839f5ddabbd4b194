import '#test/console/tsx.ts'
import { expect } from 'chai'
import { numberOf } from '#http/console/web/figure.ts'
import type * as columns from '#http/console/web/part/list/column.tsx'
import { csvText } from '#http/console/web/part/list/csv.ts'
import { deepConsole, findings, look, settled, type Seen } from '#test/console/browser.ts'
import { fakePage } from '#test/console/fake-page.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'

describe('columns of a list', () => {
  const rows = [
    { name: 'b', cost: 2 },
    { name: 'A', cost: null },
    { name: 'c', cost: 10 },
  ]
  let list: typeof columns
  let page: ReturnType<typeof fakePage>
  before(async () => {
    page = fakePage('https://host.example/console/budgets')
    Object.defineProperty(globalThis, 'matchMedia', { value: () => new EventTarget(), configurable: true })
    list = await import('#http/console/web/part/list/column.tsx')
  })
  after(() => {
    page.close()
    Reflect.deleteProperty(globalThis, 'matchMedia')
  })
  type Row = (typeof rows)[number]
  const cost = { title: 'Cost', usd: (row: Row) => row.cost }

  it('sort by what they show: figures by size, those without one as the smallest, texts in any case', () => {
    const by = (column: Parameters<typeof list.orderOf<Row>>[0]) => {
      const of = list.orderOf(column)!
      return rows.toSorted((a, b) => (of(a) < of(b) ? -1 : 1)).map(({ name }) => name)
    }
    expect(by(cost)).to.deep.equal(['A', 'b', 'c'])
    expect(by({ title: 'Name', text: (row) => row.name })).to.deep.equal(['A', 'b', 'c'])
    expect(list.orderOf({ title: 'Actions', show: () => 'Edit' })).to.equal(undefined)
  })

  it('are written to CSV as they came: a figure without its currency, nothing where there is none', () => {
    expect(rows.map((row) => list.csvOf(cost, row))).to.deep.equal([2, '', 10])
    expect([list.isFigure(cost), list.isFigure({ title: 'Name', text: () => 'a' })]).to.deep.equal([true, false])
  })
})

describe('a list as CSV', () => {
  it('quotes what has commas, quotes and lines, and lets no spreadsheet read a text as a formula', () => {
    const rows = [
      ['Name', 'Cost'],
      ['a "b", c', 1234.5],
      ['=SUM(A1)', -2],
      ['-12.5', 'x\ny'],
    ]
    expect(csvText(rows)).to.equal('Name,Cost\r\n"a ""b"", c",1234.5\r\n\'=SUM(A1),-2\r\n-12.5,"x\ny"\r\n')
  })
})

describe('an amount that is typed', () => {
  it('may have commas between thousands; what is no number stays as it was typed', () => {
    const typed = ['7,500', '1,234,567.25', ' 12.5 ', '7,50', '7.500,00', '7,5OO', '']
    expect(typed.map(numberOf)).to.deep.equal([7500, 1_234_567.25, 12.5, '7,50', '7.500,00', '7,5OO', ''])
  })
})

deepConsole('the console: a list and its form', () => {
  let f: Fleet
  let seen: Seen
  const teams = ['Core', 'Data', `Ledger ${'x'.repeat(93)}`]
  const table = () => seen.page.getByRole('table', { name: 'Budgets' })
  const names = () => table().locator('tbody td:first-child .clip').allTextContents()

  before(async () => {
    f = await fleet()
    for (const [at, teamName] of teams.entries())
      await f.send('POST', '/budgets', { teamName, monthlyBudgetUSD: [300, 100, 200][at] })
    seen = await look(f)
  })
  afterEach(() => expect(seen.faults).to.deep.equal([]))
  after(async () => {
    await seen?.close()
    await f?.end()
  })

  it('is sorted at its address, hides columns for good, and saves what is shown', async () => {
    await seen.open('budgets')
    await table().getByRole('button', { name: 'Budget', exact: true }).click()
    expect(await names()).to.deep.equal([teams[0], teams[2], teams[1]])
    expect(await seen.page.getByRole('columnheader', { name: /^Budget/ }).getAttribute('aria-sort')).to.equal(
      'descending',
    )
    const { search } = new URL(seen.page.url())
    await seen.page.getByLabel('Columns and CSV: This month').click()
    await seen.page.getByLabel('Month-end forecast', { exact: true }).uncheck()
    await seen.open(`budgets${search}`)
    expect(await names()).to.deep.equal([teams[0], teams[2], teams[1]])
    expect(await seen.page.getByRole('columnheader', { name: 'Month-end forecast' }).count()).to.equal(0)
    await seen.page.getByLabel('Columns and CSV: This month').click()
    expect(await findings(seen.page)).to.deep.equal([])
    const saving = seen.page.waitForEvent('download')
    await seen.page.getByRole('button', { name: 'Download CSV' }).click()
    const file = await (await saving).createReadStream()
    const text = (await file.toArray()).join('')
    expect(text.split('\r\n').slice(0, 2)).to.deep.equal([
      'Scope,Status,Used,Spend,Budget,Remaining',
      'Core,within budget,0,0,300,300',
    ])
  })

  it('keeps what is typed over a reload, and takes 7,500 as a number', async () => {
    await seen.open('budgets?new=team')
    expect(await seen.page.evaluate(() => document.activeElement?.tagName)).to.equal('SELECT')
    await seen.page.getByLabel('Team name').fill('Web')
    await seen.page.getByLabel(/^Monthly budget/).fill('7,500')
    await seen.page.reload()
    await settled(seen.page)
    await seen.page.getByText('Continued from your unsaved draft.').waitFor()
    expect(await seen.page.getByLabel('Team name').inputValue()).to.equal('Web')
    await seen.page.getByRole('button', { name: 'Create budget' }).click()
    await seen.page.getByLabel('Team name').waitFor({ state: 'detached' })
    const budgets = (await f.get('/budgets')).body.data as any[]
    expect(budgets.find(({ teamName }) => teamName === 'Web').monthlyBudgetUSD).to.equal(7500)
    await seen.open('budgets?new=team')
    expect(await seen.page.getByLabel('Team name').inputValue()).to.equal('')
  })
})
