// tier: deep
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { billingLine } from '#streams/billing/messages.ts'
import { kubernetesUsage, type KubernetesUsage } from '#streams/kubernetes/messages.ts'
import { describeConsole, findings, look, looks, settled, type Seen } from '#test/console/browser.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const day = new Date(Date.now() - 3 * 86_400_000).toISOString().slice(0, 10)
const days = `from=${day}&to=${day}`
const gib = 1024 ** 3
const shop = 'shop-eu'

const pod = (namespace: string, name: string, controller: string, more: object) => {
  const [controllerKind, controllerName] = controller.split('/')
  return { namespace, name, node: 'n1', controllerKind: controllerKind!, controllerName: controllerName!, ...more }
}

/** Hour 10 of the day: a machine of 4 cores and 16 GiB; of its price 0.650981 is for processors, 0.349019 for memory. */
const usage: KubernetesUsage = {
  clusterUid: shop,
  clusterName: 'shop',
  provider: 'aws',
  from: `${day}T10:00:00Z`,
  seconds: 3600,
  nodes: [{ name: 'n1', resourceUid: 'i-1', cpuCores: 4, memoryBytes: 16 * gib }],
  pods: [
    pod('orders', 'api-1', 'deployment/api', {
      labels: { team: 'shop' },
      cpuRequest: 1,
      cpuUsed: 0.5,
      memoryRequest: 4 * gib,
      memoryUsed: 2 * gib,
    }),
    pod('search', 'index-0', 'statefulset/index', {
      labels: { team: 'data' },
      cpuRequest: 0.5,
      cpuUsed: 1,
      memoryRequest: 2 * gib,
      memoryUsed: 4 * gib,
    }),
  ],
  claims: [{ namespace: 'search', name: 'data', volumeUid: 'vol-1', pods: ['index-0'] }],
}

const line = (uid: string, costUSD: number) => ({
  lineId: `${day}/${uid}`,
  cloudAccountId: 'acct-1',
  provider: 'aws',
  resourceUid: uid,
  serviceName: 'ec2',
  region: 'us-east-1',
  usageDate: day,
  costUSD,
  exportedAt: `${day}T23:00:00Z`,
  ChargePeriodStart: `${day}T10:00:00Z`,
  ChargePeriodEnd: `${day}T11:00:00Z`,
})

const table = (seen: Seen, caption: string) => seen.page.getByRole('region', { name: caption, exact: true })

/** Texts of the first cells of each row, and of the foot. */
async function cells(seen: Seen, caption: string, count: number): Promise<string[][]> {
  const rows = await table(seen, caption).locator('tbody tr').all()
  const texts = await Promise.all(rows.map((row) => row.locator('td').allInnerTexts()))
  return texts.map((row) => row.slice(0, count).map((text) => text.replaceAll(/\s+/g, ' ').trim()))
}

const tiles = async ({ page }: Seen): Promise<string[][]> => {
  const all = await page.locator('.tile').all()
  return Promise.all(
    all.map(async (one) => [await one.locator('h2').innerText(), await one.locator('.big').innerText()]),
  )
}

const sideways = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

describeConsole('the console: what clusters cost', () => {
  let org: Tenant
  let seen: Seen

  before(async () => {
    org = await tenant()
    await org.publish(kubernetesUsage, [usage], { place: 'acct-1' })
    await org.publish(billingLine, [line('i-1', 1), line('vol-1', 0.2), line(shop, 0.1), line('i-other', 5)])
    const cost = async () => (await org.get(`/reports/kubernetes?${days}`)).body.data.totals.costUSD
    await until('it is divided', async () => (await cost()) === '1.3')
    seen = await look(org)
  })
  after(() => seen?.close())
  afterEach(() => expect(seen.faults.splice(0)).to.deep.equal([]))

  const at = (more = '') => seen.open(`kubernetes?${days}${more}`)
  const choice = (of: string) => seen.page.locator('label', { hasText: new RegExp(`^${of} `) }).locator('select')
  const asked = () => new URL(seen.page.url()).searchParams
  const receipt = async () => {
    await seen.page.waitForSelector('.receipt output')
    await settled(seen.page)
    return seen.page.locator('.receipt output').innerText()
  }

  // A pod with a core of four has 0.16274525 of the machine's 1.00, with 4 GiB of sixteen 0.08725475: 0.25 together.
  it('shows what workloads used, what nobody did, and the rest, which add up to the bill', async () => {
    await at()
    expect(await tiles(seen)).to.deep.equal([
      ['Total', '$1.30'],
      ['Workloads', '$0.70'],
      ['Idle', '$0.50'],
      ['Overhead', '$0.10'],
      ['Unmeasured', '$0.00'],
    ])
    expect(await cells(seen, 'Cost by namespace', 7)).to.deep.equal([
      ['Idle of shop shop', '$0.50', '$0.33', '$0.17', '–', '–', '–'],
      ['search shop', '$0.45', '$0.16', '$0.09', 'storage $0.20', '200% 1 of 0.5 core-hours', '200% 4 of 2 GiB-hours'],
      ['orders shop', '$0.25', '$0.16', '$0.09', '–', '50% 0.5 of 1 core-hours', '50% 2 of 4 GiB-hours'],
      ['Overhead of shop shop', '$0.10', '–', '–', '–', '–', '–'],
    ])
    const file = seen.page.waitForEvent('download')
    await seen.page.getByRole('button', { name: 'Pods as CSV' }).click()
    const rows = readFileSync(await (await file).path(), 'utf8')
      .trim()
      .split('\n')
    expect([rows.length, rows[0]!.split(',').slice(0, 3)]).to.deep.equal([
      6,
      ['cluster_uid', 'namespace', 'controller_kind'],
    ])
    expect(await table(seen, 'Cost by namespace').locator('tfoot td').allInnerTexts()).to.deep.equal([
      'All rows',
      '$1.30',
      '',
    ])
  })

  it('leads from a row to the shares of rows of bills that sum to it, and from these to the bill', async () => {
    await at()
    await table(seen, 'Cost by namespace').locator('tbody tr', { hasText: 'search' }).locator('a.amount').click()
    expect(await receipt()).to.equal('0.45 USD')
    const told = (await cells(seen, 'Shares of billing rows', 5)).map((row) => row.slice(1))
    expect(told).to.deep.equal([
      ['0.2 100% of 0.2', 'storage', 'index-0 search', 'vol-1 us-east-1'],
      ['0.16274525 16.3% of 1', 'CPU', 'index-0 search', 'i-1 n1 · us-east-1'],
      ['0.08725475 8.7% of 1', 'memory', 'index-0 search', 'i-1 n1 · us-east-1'],
    ])
    await seen.page.reload()
    expect(await receipt()).to.equal('0.45 USD')
    await table(seen, 'Shares of billing rows').locator('tbody tr').nth(1).locator('a.exact').click()
    await table(seen, 'Billing lines').waitFor()
    expect([await receipt(), await table(seen, 'Billing lines').locator('tbody tr').count()]).to.deep.equal([
      '1 USD',
      1,
    ])
    await seen.page.keyboard.press('Escape')
    await seen.page.waitForSelector('dialog', { state: 'detached' })
    // The only cluster that is shown: its sums have receipts too.
    await seen.page.locator('.tile', { hasText: 'Idle' }).locator('a.amount').click()
    expect(await receipt()).to.equal('0.5 USD')
  })

  it('leads from a cluster to its namespaces, their workloads and the pods of one, and back: all stands in the address', async () => {
    await at('&group_by=cluster')
    expect((await cells(seen, 'Cost by cluster', 2)).map(([name, cost]) => [name, cost])).to.deep.equal([
      ['shop shop-eu', '$0.70'],
      ['Idle of shop shop-eu', '$0.50'],
      ['Overhead of shop shop-eu', '$0.10'],
    ])
    await seen.page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    await table(seen, 'Cost by cluster').getByRole('link', { name: 'shop', exact: true }).click()
    await table(seen, 'Cost by namespace').getByRole('link', { name: 'orders', exact: true }).click()
    await table(seen, 'Cost by workload').getByRole('link', { name: 'deployment/api', exact: true }).click()
    await table(seen, 'Pods of the workload').waitFor()
    await settled(seen.page)
    expect(await cells(seen, 'Pods of the workload', 2)).to.deep.equal([
      ['api-1 deployment/api · orders · shop', '$0.25'],
    ])
    expect([
      asked().getAll('filter[cluster]'),
      asked().getAll('filter[namespace]'),
      asked().get('workload'),
    ]).to.deep.equal([[shop], ['orders'], 'deployment/api'])
    // Nothing of a namespace is idle, overhead or unmeasured.
    expect(await tiles(seen)).to.deep.equal([
      ['Total', '$0.25'],
      ['Workloads', '$0.25'],
    ])
    await seen.page.getByRole('button', { name: 'Remove Cluster shop', exact: true }).waitFor()
    await table(seen, 'Pods of the workload').locator('a.amount').click()
    expect(await receipt()).to.equal('0.25 USD')
    for (let back = 0; back < 4; back++) await seen.page.goBack()
    await table(seen, 'Cost by cluster').waitFor()
    expect(await seen.page.evaluate(() => 'isSame' in globalThis)).to.equal(true)
  })

  it('shares what was idle with a receipt of what is a row’s own, or leaves it to the sums', async () => {
    await at()
    await choice('Idle').selectOption('shared')
    await settled(seen.page)
    expect(await cells(seen, 'Cost by namespace', 2)).to.deep.equal([
      ['search shop', '$0.70 own $0.45 + idle $0.25'],
      ['orders shop', '$0.50 own $0.25 + idle $0.25'],
      ['Overhead of shop shop', '$0.10'],
    ])
    await table(seen, 'Cost by namespace').locator('tbody tr').first().locator('a.amount').click()
    expect(await receipt()).to.equal('0.45 USD')
    expect(await seen.page.locator('.receipt .note').count()).to.equal(0)
    await seen.page.keyboard.press('Escape')
    await choice('Idle').selectOption('apart')
    await settled(seen.page)
    expect(await cells(seen, 'Cost by namespace', 2)).to.deep.equal([
      ['search shop', '$0.45'],
      ['orders shop', '$0.25'],
    ])
    expect(await table(seen, 'Cost by namespace').locator('tfoot .figure').innerText()).to.equal('$0.70')
  })

  it('divides by pods, nodes, and labels whose key is chosen by keyboard alone', async () => {
    await at('&group_by=node')
    expect(await cells(seen, 'Cost by node', 2)).to.deep.equal([
      ['Idle of n1 shop', '$0.50'],
      ['n1 shop', '$0.50'],
      ['(none) shop', '$0.20'],
      ['Overhead of shop shop', '$0.10'],
    ])
    const by = choice('Group by')
    await by.selectOption({ label: 'label…' })
    await seen.page.getByText('Choose a label').waitFor()
    await seen.page.getByLabel('Label key').first().focus()
    await seen.page.keyboard.type('tea')
    await seen.page.getByRole('option', { name: 'team', exact: true }).waitFor()
    await seen.page.keyboard.press('ArrowDown')
    await seen.page.keyboard.press('Enter')
    await table(seen, 'Cost by label team').waitFor()
    await settled(seen.page)
    expect(asked().get('group_by')).to.equal('label:team')
    expect(await cells(seen, 'Cost by label team', 2)).to.deep.equal([
      ['Idle', '$0.50'],
      ['data', '$0.45'],
      ['shop', '$0.25'],
      ['Overhead', '$0.10'],
    ])
    // What lies behind a value are the workloads that have it, of which no receipt can be asked so.
    await table(seen, 'Cost by label team').getByRole('link', { name: 'data', exact: true }).click()
    await table(seen, 'Cost by workload').waitFor()
    await settled(seen.page)
    expect(asked().getAll('label')).to.deep.equal(['team=data'])
    expect(await cells(seen, 'Cost by workload', 2)).to.deep.equal([['statefulset/index search · shop', '$0.45']])
    expect(await tiles(seen)).to.deep.equal([
      ['Total', '$0.45'],
      ['Workloads', '$0.45'],
    ])
    expect(await seen.page.locator('main a.amount').count()).to.equal(0)
    await choice('Idle').selectOption('shared')
    await settled(seen.page)
    expect(await cells(seen, 'Cost by workload', 2)).to.deep.equal([
      ['statefulset/index search · shop', '$0.70 own $0.45 + idle $0.25'],
    ])
    expect(await table(seen, 'Cost by workload').locator('tfoot .figure').innerText()).to.equal('$0.70')
    await choice('Idle').selectOption('')
    await settled(seen.page)
    await seen.page.getByRole('button', { name: 'Remove label team: data', exact: true }).click()
    await settled(seen.page)
    expect(asked().has('label')).to.equal(false)
    await by.selectOption('pod')
    await settled(seen.page)
    expect((await cells(seen, 'Cost by pod', 2))[1]).to.deep.equal([
      'index-0 statefulset/index · search · shop',
      '$0.45',
    ])
  })

  it('is narrowed by account, cluster and namespace, with values suggested, and says what else it is not narrowed by', async () => {
    await at('&filter[region]=eu-west-1')
    await seen.page.getByText('Cluster costs cannot be filtered by Region eu-west-1.').waitFor()
    await seen.page.getByRole('link', { name: 'Remove' }).click()
    await settled(seen.page)
    expect(asked().has('filter[region]')).to.equal(false)
    expect(await choice('Filter').locator('option').allInnerTexts()).to.deep.equal(['Account', 'Cluster', 'Namespace'])
    await seen.page.keyboard.press('/')
    await seen.page.getByRole('option', { name: 'shop $1.30' }).waitFor()
    // What no cluster used is none of its values here.
    expect(await seen.page.locator('#add-filter-list li').allTextContents()).to.deep.equal(['shop$1.30'])
    await seen.page.keyboard.press('ArrowDown')
    await seen.page.keyboard.press('Enter')
    await seen.page.getByRole('button', { name: 'Remove Cluster shop', exact: true }).waitFor()
    expect(asked().getAll('filter[cluster]')).to.deep.equal([shop])
    await at('&filter[namespace]=none-such')
    await seen.page.getByText('match all of these filters').waitFor()
    await seen.page.getByRole('link', { name: 'Remove all filters' }).click()
    await settled(seen.page)
    expect((await tiles(seen))[0]).to.deep.equal(['Total', '$1.30'])
  })

  it('tells hours that nobody told of, with what to do, and names the right to who has it not', async () => {
    await at()
    const gaps = seen.page.getByRole('region', { name: 'Missing usage data', exact: true })
    expect((await gaps.locator('li').innerText()).replaceAll(/\s+/g, ' ')).to.match(
      /^shop has no usage data for 13 hours of this period\. Last data received: .*, 11:00 UTC, /,
    )
    expect(await gaps.innerText()).to.include('send the hours again (docs/kubernetes.md)')
    const viewer = await look(org, { role: 'viewer' })
    await viewer.open(`kubernetes?${days}`)
    const told = await viewer.page.getByRole('region', { name: 'Missing usage data', exact: true }).innerText()
    expect(told).to.match(/Fixing a usage source requires the permission space\.create or space\.update/)
    expect(viewer.faults).to.deep.equal([])
    await viewer.close()
  })

  it('is in the explorer too, with the shares of bills behind its amounts, or where to find them', async () => {
    await seen.open(`costs?${days}&dims=cluster`)
    expect(await cells(seen, 'Cost by cluster', 2)).to.deep.equal([
      ['(none)', '$5.00'],
      ['shop', '$1.30'],
    ])
    await table(seen, 'Cost by cluster').locator('.group a', { hasText: 'shop' }).click()
    await table(seen, 'Cost by namespace').waitFor()
    await settled(seen.page)
    expect(await cells(seen, 'Cost by namespace', 2)).to.deep.equal([
      ['(none)', '$0.60'],
      ['search', '$0.45'],
      ['orders', '$0.25'],
    ])
    await seen.page.getByRole('button', { name: 'Remove Cluster shop', exact: true }).waitFor()
    for (const [name, sum] of [
      ['(none)', '0.6 USD'],
      ['search', '0.45 USD'],
    ] as const) {
      await table(seen, 'Cost by namespace').locator('tbody tr', { hasText: name }).locator('a.amount').click()
      expect(await receipt()).to.equal(sum)
      await seen.page.keyboard.press('Escape')
      await seen.page.waitForSelector('dialog', { state: 'detached' })
    }
    await seen.open(`costs?${days}&dims=service_name&filter[cluster]=${shop}`)
    await table(seen, 'Cost by service').locator('tbody a.amount').click()
    await seen.page.getByText('Bills do not show who used a cluster.').waitFor()
    await seen.page.getByRole('link', { name: 'open it in Kubernetes' }).click()
    await settled(seen.page)
    expect((await tiles(seen))[0]).to.deep.equal(['Total', '$1.30'])
  })

  for (const { theme, width } of looks)
    it(`is accessible to all, ${theme} and ${width} wide, with its receipt and its pods open`, async () => {
      const wrong: string[] = []
      const opened = `group_by=controller&filter[cluster]=${shop}&filter[namespace]=orders&workload=deployment%2Fapi`
      const receipt = `receipt=${encodeURIComponent(`${days}&filter[cluster]=${shop}`)}`
      const other = await look(org, { theme, width })
      for (const more of ['', opened, receipt]) {
        await other.open(`kubernetes?${days}&${more}`)
        wrong.push(...(await findings(other.page)).map((text) => `${more} ${text}`))
        if ((await sideways(other.page)) > 0) wrong.push(`${more} scrolls sideways`)
      }
      await other.close()
      expect([...wrong, ...other.faults]).to.deep.equal([])
    })

  it('shows what is told and billed a moment ago without loading the page again, and what is estimated until it is billed', async () => {
    await at()
    await seen.page.waitForSelector('.live.live')
    await seen.page.evaluate(() => Object.assign(globalThis, { isSame: true }))
    // Nobody used the machine: of hour 12 all of it is idle. Of us-east-1 an m5.large costs 0.096 an hour on demand.
    const machine = {
      name: 'n2',
      resourceUid: 'i-2',
      instanceType: 'm5.large',
      region: 'us-east-1',
      cpuCores: 2,
      memoryBytes: 8 * gib,
    }
    const later = { ...usage, from: `${day}T12:00:00Z`, nodes: [machine], pods: [], claims: [] }
    await org.publish(kubernetesUsage, [later], { place: 'acct-1' })
    const told = async (title: string) => seen.page.locator('.tile', { hasText: title }).first().innerText()
    await until('it is shown as estimated', async () => (await told('Total')).includes('including $0.10 estimated'))
    expect(await tiles(seen)).to.deep.include.members([
      ['Total', '$1.40'],
      ['Idle', '$0.60'],
    ])
    expect(await seen.page.locator('main').innerText()).to.include('Estimated costs are for machines not billed yet')
    await org.publish(billingLine, [line('i-2', 0.2)])
    await until('the bill takes its place', async () => (await told('Total')).includes('fully billed'))
    expect(await seen.page.evaluate(() => 'isSame' in globalThis)).to.equal(true)
  })
})
