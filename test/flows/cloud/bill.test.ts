/** Bills that lie in files of a cloud, from connecting the account to the reports, through the whole product. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { newestDay } from '#actors/billing/days.ts'
import { addMonths, firstOf, monthOf } from '#engine/value/day.ts'
import { connect, type Connected } from '#test/harness/connected.ts'
import { tenant, until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { csv } from '#test/streams/billing/reading.ts'
import {
  armError,
  subscription,
  tenant as tenantID,
  type Question as AzureQuestion,
} from '#test/streams/cloud/azure/answer-server.ts'
import { farBlobs, type StoredBlob } from '#test/streams/cloud/azure/far-blobs.ts'
import { refusing, type Question } from '#test/streams/cloud/gcp/far-google.ts'
import { farStorage, type Stored } from '#test/streams/cloud/gcp/far-storage.ts'
import * as azure from './azure.ts'
import * as google from './google.ts'

const newest = newestDay(new Date())
const month = monthOf(newest)
const before = addMonths(month, -1)

/** A row of FOCUS; of the first day of its billing period where no day is named. */
const focus = (ServiceName: string, cost: string, more: Record<string, string> = {}, day = firstOf(month)) => ({
  BilledCost: cost,
  EffectiveCost: cost,
  BillingCurrency: 'USD',
  BillingPeriodStart: `${firstOf(monthOf(day))}T00:00:00Z`,
  ChargePeriodStart: `${day}T05:00:00Z`,
  ChargePeriodEnd: `${day}T06:00:00Z`,
  ChargeCategory: 'Usage',
  ServiceName,
  ProviderName: 'Google Cloud',
  ResourceId: `${ServiceName} ${day}`,
  ...more,
})

const part = (...rows: Record<string, string>[]) => Buffer.from(csv(...rows))

/** Billed US dollars of both months in all, in cents, and by service. */
async function costsOf(org: Connected): Promise<Record<string, number>> {
  const range = `from=${firstOf(before)}&to=${newest}&filter[cloud_account_id]=${org.accountId}`
  const { nodes, totalUSD } = await org.data(`/reports/costs/breakdown?dims=service_name&${range}`)
  return { totalUSD, ...Object.fromEntries(nodes.map(({ label, id, valueUSD }: any) => [label ?? id, valueUSD])) }
}

async function costsBecome(org: Connected, totalUSD: number): Promise<Record<string, number>> {
  await until(`a bill of ${totalUSD}`, async () => (await costsOf(org)).totalUSD === totalUSD)
  return costsOf(org)
}

const syncOf = async (org: Connected): Promise<any> => (await org.data('/billing/sync-status'))[0]

/** A night's sync, to its end. */
async function synced(org: Connected): Promise<any> {
  const { lastSyncedAt } = await syncOf(org)
  await org.job('billing-sync')
  await until('the end of a sync', async () => (await syncOf(org)).lastSyncedAt !== lastSyncedAt)
  return syncOf(org)
}

/** Lines that count. */
const linesOf = async (org: Connected): Promise<number> => {
  const [{ lines }] = (await org.facts(
    `SELECT toUInt32(count()) AS lines FROM cost_lines WHERE x_OrgId = {org:String}`,
  )) as [{ lines: number }]
  return lines
}

describe('the bill of a project of Google Cloud in Cloud Storage', () => {
  let org: Connected | undefined
  afterEach(async () => {
    await org?.end()
    org = undefined
  })

  /** Connects the project whose bill these objects are: the project has nothing else. */
  const connected = async (objects: Readonly<Record<string, Stored>>): Promise<Connected> => {
    const storage = farStorage(objects)
    const answer = (question: Question) => {
      const { path, body, query } = question
      if (path.endsWith(':testIamPermissions')) return { body: { permissions: body.permissions } }
      if (path.endsWith('/iam/testPermissions')) return { body: { permissions: query.getAll('permissions') } }
      if (path.startsWith('/storage/v1/b/shop-bills/o')) return storage(question)
      return question.method === 'GET' ? {} : refusing(404, 'notFound')
    }
    const { end } = await google.beside(answer)
    const billingExport = { kind: 'storage', location: 'gs://shop-bills/focus/' }
    org = await connect(await tenant(), { ...google.account, billingExport }, end)
    return org
  }

  const folder = (of: string) => `focus/BILLING_PERIOD=${of}`

  it('is read when the project is connected, in parts, once however often it is read; a new object replaces the old', async () => {
    const objects: Record<string, Stored> = {
      [`${folder(before)}/part-0.csv`]: { bytes: part(focus('Compute Engine', '7', {}, firstOf(before))) },
      // The tags cannot be read: the line keeps its 0.5.
      [`${folder(month)}/part-0.csv`]: {
        bytes: part(focus('Compute Engine', '60.25'), focus('BigQuery', '0.5', { Tags: '{"team": "we' }, newest)),
      },
      [`${folder(month)}/part-1.csv.gz`]: {
        bytes: gzipSync(
          part(focus('Cloud Storage', '0.35'), focus('Cloud Storage', '-0.1', { ChargeCategory: 'Tax' })),
        ),
      },
    }
    const of = await connected(objects)
    // 7 + 60.25; 0.35 - 0.1.
    const first = { totalUSD: 68, 'Compute Engine': 67.25, BigQuery: 0.5, 'Cloud Storage': 0.25 }
    expect(await costsBecome(of, 68)).to.deep.equal(first)
    await until('its end', async () => (await syncOf(of)).status === 'ok')
    const { warnings, message } = await syncOf(of)
    expect(message).to.equal(undefined)
    expect(warnings.map(({ period, code, count, rows }: any) => [period, code, count, rows])).to.deep.equal([
      [month, 'tags_left_out', 1, [{ file: `${folder(month)}/part-0.csv`, line: 3 }]],
    ])

    await synced(of)
    objects[`${folder(month)}/part-0.csv`] = {
      bytes: part(focus('Compute Engine', '61'), focus('Cloud Run', '2', {}, newest)),
      generation: '2',
    }
    expect((await synced(of)).warnings).to.equal(undefined)
    // 7 + 61; BigQuery is gone, Cloud Run is new: every line once after three readings.
    const last = { totalUSD: 70.25, 'Compute Engine': 68, 'Cloud Run': 2, 'Cloud Storage': 0.25 }
    expect(await costsBecome(of, 70.25)).to.deep.equal(last)
    expect(await linesOf(of)).to.equal(5)
  })

  deepIt('stays as it is while a part that its manifest names is missing, which its status names', async () => {
    const run = (name: string) => `focus/${month.replace('-', '')}01-99991231/${name}`
    const manifest = (at: string, ...keys: string[]): Stored => ({
      bytes: Buffer.from(JSON.stringify({ exportName: 'focus', dataFiles: keys })),
      at,
    })
    const objects: Record<string, Stored> = {
      [run('1/focus-Manifest.json')]: manifest('2026-01-01T00:00:00Z', run('1/0.csv')),
      [run('1/0.csv')]: { bytes: part(focus('Compute Engine', '10')) },
    }
    const of = await connected(objects)
    await costsBecome(of, 10)
    await until('its end', async () => (await syncOf(of)).status === 'ok')
    objects[run('2/focus-Manifest.json')] = manifest('2026-01-02T00:00:00Z', run('2/0.csv'), run('2/1.csv'))
    objects[run('2/0.csv')] = { bytes: part(focus('Compute Engine', '11')) }
    await of.job('billing-sync')
    await of.reached('the failure', async () => (await syncOf(of)).status === 'failed')
    expect((await syncOf(of)).message).to.equal(
      `${run('2/focus-Manifest.json')} lists a missing file: ${run('2/1.csv')}.`,
    )
    expect((await costsOf(of))['totalUSD']).to.equal(10)
    objects[run('2/1.csv')] = { bytes: part(focus('Cloud Storage', '0.5')) }
    await synced(of)
    expect(await costsBecome(of, 11.5)).to.deep.equal({ totalUSD: 11.5, 'Compute Engine': 11, 'Cloud Storage': 0.5 })
  })
})

describe('the bill of a subscription of Azure in a container', () => {
  let org: Connected | undefined
  afterEach(async () => {
    await org?.end()
    org = undefined
  })

  /** Machines 12.5, Storage 0.125 and 0.00000000000001, each on the first of the month. */
  const parquet = () => {
    const file = new URL('../../streams/billing/fixtures/focus-plain.parquet', import.meta.url)
    return Buffer.from(readFileSync(file, 'latin1').replaceAll('2026-10', month), 'latin1')
  }
  const root = `/subscriptions/${subscription}`
  const inContainer = { kind: 'focus', location: 'https://bills.blob.core.windows.net/exports/focus' }
  /** `costs`: those of Cost Management, by the first day that is asked for. */
  const connected = async (
    blobs: Readonly<Record<string, StoredBlob>>,
    billingExport: object = inContainer,
    costs: (from: string) => number | undefined = () => undefined,
  ): Promise<Connected> => {
    const stored = farBlobs(blobs)
    const answer = (question: AzureQuestion) => {
      const { path } = question
      if (path.endsWith('/Microsoft.CostManagement/query')) return queried(question, costs)
      if (path.startsWith('/bills/exports')) return stored(question)
      if (path.endsWith('/permissions')) return { body: { value: [{ actions: ['*'], notActions: [] }] } }
      if (path === root) return { body: { id: root, tenantId: tenantID, state: 'Enabled' } }
      return question.method === 'GET' ? { body: { value: [] } } : armError(404, 'NotFound')
    }
    const { end } = await azure.beside(answer)
    org = await connect(await tenant(), { ...azure.account, billingExport }, end)
    return org
  }

  /** A cost of machines on the first day that is asked for. */
  const queried = ({ body }: AzureQuestion, costs: (from: string) => number | undefined) => {
    const from = String(body.timePeriod.from).slice(0, 10)
    const cost = costs(from)
    const groups = body.dataset.grouping.map(({ name }: { name: string }) => name) as string[]
    const columns = ['Cost', 'CostUSD', 'UsageDate', 'Currency', ...groups].map((name) => ({ name }))
    const values = groups.map((name) => ({ ServiceName: 'Machines', ChargeType: 'Usage' })[name] ?? '')
    const row = [cost, cost, Number(from.replaceAll('-', '')), 'USD', ...values]
    return { body: { properties: { nextLink: null, columns, rows: cost === undefined ? [] : [row] } } }
  }

  deepIt(
    'is queried where there is no export, once however often, and replaced by an export once there is one',
    async () => {
      const at = '2026-01-01T00:00:00Z'
      const run = `focus/costs/${month.replace('-', '')}01-${month.replace('-', '')}28/part_0.csv`
      const blobs: Record<string, StoredBlob> = { [run]: { at, bytes: part(focus('Network', '12')) } }
      const costs: Record<string, number> = { [firstOf(month)]: 10, [firstOf(before)]: 7 }
      const of = await connected(blobs, { kind: 'cost-management', location: root }, (from) => costs[from])
      expect(await costsBecome(of, 17)).to.deep.equal({ totalUSD: 17, Machines: 17 })
      await until('its end', async () => (await syncOf(of)).status === 'ok')
      costs[firstOf(month)] = 11
      await synced(of)
      expect(await costsBecome(of, 18)).to.deep.equal({ totalUSD: 18, Machines: 18 })
      expect(await linesOf(of)).to.equal(2)
      await of.done('PATCH', `/cloud-accounts/${of.accountId}`, { billingExport: inContainer })
      // The month before is not in the export.
      expect(await costsBecome(of, 19)).to.deep.equal({ totalUSD: 19, Network: 12, Machines: 7 })
      expect(await linesOf(of)).to.equal(2)
    },
  )

  deepIt('is read from the Parquet and CSV that the newest manifest names, once however often it is read', async () => {
    const run = (name: string) => `focus/costs/${month.replace('-', '')}01-${month.replace('-', '')}28/${name}`
    const manifest = (at: string, ...names: string[]): StoredBlob => ({
      bytes: Buffer.from(JSON.stringify({ blobs: names.map((blobName) => ({ blobName })) })),
      at,
    })
    const at = '2026-01-01T00:00:00Z'
    const blobs: Record<string, StoredBlob> = {
      [run('run-1/part_0.parquet')]: { at, bytes: parquet() },
      [run('run-1/part_1.csv.gz')]: { at, bytes: gzipSync(part(focus('Network', '2'))) },
      [run('run-1/manifest.json')]: manifest(at, run('run-1/part_0.parquet'), run('run-1/part_1.csv.gz')),
    }
    const of = await connected(blobs)
    expect(await costsBecome(of, 14.63)).to.deep.equal({
      totalUSD: 14.63,
      Machines: 12.5,
      Network: 2,
      Storage: 0.12500000000001,
    })
    await until('its end', async () => (await syncOf(of)).status === 'ok')
    await synced(of)
    blobs[run('run-2/part_0.parquet')] = { at, bytes: parquet() }
    blobs[run('run-2/part_1.csv')] = { at, bytes: part(focus('Network', '3'), focus('Queue', '0.25', {}, newest)) }
    blobs[run('run-2/manifest.json')] = manifest(
      '2026-01-02T00:00:00Z',
      run('run-2/part_0.parquet'),
      run('run-2/part_1.csv'),
    )
    await synced(of)
    const last = { totalUSD: 15.88, Machines: 12.5, Network: 3, Queue: 0.25, Storage: 0.12500000000001 }
    expect(await costsBecome(of, 15.88)).to.deep.equal(last)
    expect(await linesOf(of)).to.equal(5)
  })
})
