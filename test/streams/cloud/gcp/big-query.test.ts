import { expect } from 'chai'
import { account, denied, refusing, type Answer, type Question } from './far-google.ts'
import { project, scanned } from './world.ts'

const datasets = `/bigquery/v2/projects/${project}/datasets`
const reference = (tableId: string) => ({ projectId: project, datasetId: 'mart', tableId })
const mart = { datasetReference: { datasetId: 'mart', projectId: project }, location: 'EU' }

const table = (tableId: string, gb: Record<string, number>) => ({
  tableReference: reference(tableId),
  ...Object.fromEntries(Object.entries(gb).map(([name, value]) => [name, String(value * 1e9)])),
})
const sizes = {
  orders: table('orders', {
    numActiveLogicalBytes: 100,
    numLongTermLogicalBytes: 400,
    numActivePhysicalBytes: 20,
    numLongTermPhysicalBytes: 40,
    numTimeTravelPhysicalBytes: 2,
  }),
  carts: table('carts', { numActiveLogicalBytes: 10, numActivePhysicalBytes: 3, numTimeTravelPhysicalBytes: 1 }),
}

const answers =
  (more: (question: Question) => Answer | undefined = () => undefined) =>
  (question: Question): Answer => {
    const { path } = question
    const [, id] = /\/tables\/(\w+)$/.exec(path) ?? []
    const known: Readonly<Record<string, object>> = {
      [datasets]: { datasets: [mart] },
      [`${datasets}/mart`]: { ...mart, maxTimeTravelHours: '84' },
      [`${datasets}/mart/tables`]: {
        tables: Object.keys(sizes).map((one) => ({ tableReference: reference(one), type: 'TABLE' })),
      },
    }
    const body = id === undefined ? known[path] : sizes[id as keyof typeof sizes]
    return more(question) ?? (body ? { body } : refusing(404, 'notFound'))
  }

describe('what is stored in BigQuery', () => {
  const only = new Set(['gcp-bigquery-dataset', 'gcp-bigquery-table'])
  const specsOf = (found: readonly { type: string; specs?: object }[]) =>
    found.find(({ type }) => type === 'gcp-bigquery-dataset')?.specs

  it('is the sum of the tables of a data set, with deleted data that is kept for a week after time travel', async () => {
    const { found, missing, far } = await scanned(answers(), { only })
    // Three gigabytes in three and a half days of time travel: six in the week after it.
    expect(specsOf(found)).to.deep.include({
      logical_active_gb: 110,
      logical_longterm_gb: 400,
      physical_active_gb: 29,
      physical_longterm_gb: 40,
    })
    expect(missing).to.deep.equal([])
    expect(far.asked.filter((one) => one.endsWith('/tables/orders'))).to.have.length(1)
  })

  it('is unknown where tables may not be read, which is named, or where there are more than 1,000', async () => {
    const refused = await scanned(
      answers(({ path }) => (path.includes('/tables/') ? denied('bigquery.tables.get') : undefined)),
      { only },
    )
    expect(specsOf(refused.found)).to.not.have.property('logical_active_gb')
    expect(refused.missing).to.include('bigquery.tables.get')
    expect(refused.seen.flatMap(({ types }) => types)).to.deep.equal(['gcp-bigquery-dataset'])
    const tables = Array.from({ length: 1001 }, (_, at) => ({ tableReference: reference(`t${at}`), type: 'TABLE' }))
    const many = await scanned(
      answers(({ path }) => (path.endsWith('/tables') ? { body: { tables } } : undefined)),
      { only },
    )
    expect(specsOf(many.found)).to.not.have.property('logical_active_gb')
    expect(many.far.asked.filter((one) => one.includes('/tables/t'))).to.deep.equal([])
    expect(many.seen.flatMap(({ types }) => types)).to.deep.equal(['gcp-bigquery-dataset'])
  })

  it('is scanned by queries whose texts are not asked for', async () => {
    const { far } = await scanned(answers(), { only })
    const [jobs] = far.questions.filter(({ path }) => path.endsWith('/jobs'))
    expect(jobs?.query.get('fields')).to.equal(
      'nextPageToken,jobs(statistics(query(totalBytesBilled,referencedTables)))',
    )
  })
})

describe('the billing account of a project', () => {
  const only = new Set(['gcp-billing-account'])
  const of = { ...account, billingExport: { kind: 'bigquery' as const, location: 'bigquery://shop-bills/export' } }
  const read = async (more: (question: Question) => Answer) => {
    const { found, missing } = await scanned(
      (question) =>
        question.path.endsWith('/billingInfo')
          ? { body: { billingAccountName: 'billingAccounts/0000-1111', billingEnabled: true } }
          : more(question),
      { only, of },
    )
    return { specs: found[0]?.specs, missing }
  }
  const tables = (...ids: string[]) => ({
    body: { tables: ids.map((tableId) => ({ tableReference: { tableId } })) },
  })

  it('has a detailed export if its table is in the data set of the bills', async () => {
    const answer =
      (...ids: string[]) =>
      ({ path }: Question): Answer =>
        path.endsWith('/budgets') ? { body: {} } : tables(...ids)
    const detailed = await read(answer('gcp_billing_export_resource_v1_0000_1111'))
    expect(detailed.specs).to.deep.equal({ open: true, budget_count: 0, export_enabled: true })
    const standard = await read(answer('gcp_billing_export_v1_0000_1111'))
    expect(standard.specs).to.deep.equal({ open: true, budget_count: 0, export_enabled: false })
  })

  it('is known without what its own administrators alone may grant, which is not missing', async () => {
    const { specs, missing } = await read(() => denied('billing.budgets.list'))
    expect([specs, missing]).to.deep.equal([{ open: true }, []])
  })
})
