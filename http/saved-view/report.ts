/** The content of a mailed saved view or dashboard: API reports, with the person's current rights. */
import type { ReportAsked, ReportDashboard, ReportMade, ReportMail, ReportView } from '#streams/delivery/report.ts'
import { dayOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import { csvRecord } from '#http/edge/csv.ts'
import { textInput } from '#http/edge/request/decode.ts'
import type { Request } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { Organization } from '#http/identity/entity.ts'
import { permit } from '#http/identity/organization/permit.ts'
import { personOf } from '#http/identity/person/person.ts'
import type { AnomalyRecord } from '#http/report/trend/anomaly.ts'
import { reports } from '#http/report/index.ts'
import type { Meta } from '#http/report/meta.ts'
import type { Chart } from '#http/report/cost/series.ts'
import { reachOfReport } from '#http/report/comparison/settled-days.ts'
import { askedBy, isMailable, mailable, type ReportQueries, type Texts } from '#http/console/web/saved-query.ts'
import type { Reply } from '#http/store/reply.ts'
import { asOrganization, asService } from '#http/store/tenant.ts'
import type { Attachment } from '#streams/delivery/email.ts'
import { dashboardMail, type DashboardPage } from '#streams/delivery/format/dashboard.ts'
import { reportMail, type CostComparison, type ReportPage, type Unusual } from '#streams/delivery/format/report.ts'

type Series = Static<typeof Chart>
type Group = Series['series'][number]

/** Groups in the mail; the attached file has more. */
const shownMax = 10

/** @throws Fault `refused` `view_not_mailable` */
export function checkMailable(view: string): void {
  if (!isMailable(view))
    throw Fault.refused('view_not_mailable', `Only these views can be sent by email: ${mailable.join(', ')}.`)
}

/** @throws Fault `refused` `view_not_mailable` if none of its views can be mailed */
export function checkMailableDashboard(views: readonly Pick<ReportView, 'view'>[]): void {
  if (!views.some(({ view }) => isMailable(view)))
    throw Fault.refused(
      'view_not_mailable',
      `The dashboard has no view that can be sent by email. These can: ${mailable.join(', ')}.`,
    )
}

/**
 * The response of the API, with its `meta`.
 * @throws as the report, and Fault `forbidden` if the caller may not request it
 */
async function answerOf<T>(path: string, texts: Texts, caller: Caller, services: Services) {
  const route = reports.find((one) => one.method === 'GET' && one.path === path)!
  permit(route, caller)
  const given = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, typeof text === 'string' ? text : single(text)]),
  )
  const query = textInput(route.query!, 'query')(given)
  const answer = await route.handle(
    { caller, params: {}, query, url: path, headers: {} } as Request<never, never, never>,
    services,
  )
  const { payload, meta } = answer as Reply<T>
  return { data: payload, meta: meta as Static<typeof Meta> }
}

/** A parameter with a single value must not be a list. */
const single = (values: readonly string[]): string | string[] => (values.length === 1 ? values[0]! : [...values])

interface MadePage {
  page: ReportPage
  csv: Attachment
}

/** What the organization is called, and where its console is, if that is known. */
async function placeOf(caller: Caller, services: Services): Promise<{ organization: string; base: string }> {
  const organization = await asService(() => services.identity.em().findOne(Organization, { id: caller.orgId }))
  const base = services.publicUrl()
  return { organization: organization?.name ?? '', base: base && `${base}/console/` }
}

/** @throws Fault `refused` `view_not_mailable`, `forbidden` if the caller may not see costs, and as the reports */
async function madePage(
  caller: Caller,
  { name, view, query }: ReportView,
  { organization, base }: Awaited<ReturnType<typeof placeOf>>,
  services: Services,
): Promise<MadePage> {
  checkMailable(view)
  if (!isMailable(view)) throw Fault.defect(new Error(view))
  const reach = await reachOfReport(caller, {}, '', services)
  const asked = askedBy(view, query, dayOf(services.now()), reach?.settledThrough ?? undefined)
  const [costs, unusual] = await Promise.all([
    answerOf<Series>('/reports/costs/series', asked.costs, caller, services),
    asked.anomalies && answerOf<{ items: AnomalyRecord[] }>('/reports/anomalies', asked.anomalies, caller, services),
  ])
  const link = base && `${base}${view === 'overview' ? '' : view}${query && `?${query}`}`
  const found = pageOf(asked, costs, unusual?.data.items.map(unusualOf) ?? null)
  const page = { ...found, name, organization, link }
  return { page, csv: fileOf(asked, costs.data, page) }
}

/** All figures of one mail are those of one moment. */
function standing(services: Services): Services {
  const now = services.now()
  return { ...services, now: () => now }
}

/** @throws as `madePage` */
export async function reportBy(caller: Caller, view: ReportView, services: Services): Promise<ReportMail> {
  const { page, csv } = await madePage(caller, view, await placeOf(caller, services), standing(services))
  return (unsubscribe) => reportMail(page, csv, unsubscribe)
}

/** A view that cannot be shown is named with the reason, and the others are sent. @throws Fault `forbidden`, `transient` */
export async function dashboardBy(
  caller: Caller,
  { name, id, views }: ReportDashboard,
  services: Services,
): Promise<ReportMail> {
  checkMailableDashboard(views)
  const at = standing(services)
  const place = await placeOf(caller, at)
  const made: MadePage[] = []
  const left: DashboardPage['left'][number][] = []
  // One after the other, so that a dashboard takes no more of the stores at once than a view.
  for (const view of views)
    try {
      made.push(await madePage(caller, view, place, at))
    } catch (error) {
      const fault = Fault.from(error)
      if (fault.retryable || fault.kind === 'forbidden') throw error
      left.push({ name: view.name, why: isMailable(view.view) ? fault.message : 'This view cannot be sent by email.' })
    }
  const link = place.base && `${place.base}dashboards?dashboard=${id}`
  const whole = { name, organization: place.organization, link, pages: made.map(({ page }) => page), left }
  const files = made.map(({ csv }, at) => ({ ...csv, filename: `${at + 1}_${csv.filename}` }))
  return (unsubscribe) => dashboardMail(whole, files, unsubscribe)
}

function pageOf(
  { by }: ReportQueries,
  { data, meta }: { data: Series; meta: Static<typeof Meta> },
  unusual: Unusual[] | null,
): Omit<ReportPage, 'name' | 'organization' | 'link'> {
  const { series, other, total } = data
  return {
    days: { from: meta.from!, to: meta.to! },
    compared: meta.compared ?? null,
    cost: meta.cost!,
    total: figuresOf(total),
    by,
    groups: series.slice(0, shownMax).map((one) => ({ label: one.label, ...figuresOf(one) })),
    more: Math.max(0, series.length - shownMax) + (other?.count ?? 0),
    unusual,
    through: meta.costsThrough ?? null,
    estimatedUSD: meta.estimatedUSD ?? 0,
  }
}

const figuresOf = ({
  costUSD,
  previousUSD,
  deltaUSD,
  deltaPercent,
}: Pick<Group, 'costUSD'> & Partial<CostComparison>): CostComparison => ({
  costUSD,
  previousUSD: previousUSD ?? null,
  deltaUSD: deltaUSD ?? null,
  deltaPercent: deltaPercent ?? null,
})

const unusualOf = (one: AnomalyRecord): Unusual => ({
  date: one.date,
  label: one.label,
  actualUSD: one.actualCostUsd,
  expectedUSD: one.expectedCostUsd,
  cause: one.rootCause,
})

/**
 * The groups, and the rest as one row, so that they sum to the total. Text is protected from being read as a formula by
 * spreadsheets.
 */
function fileOf({ costs }: ReportQueries, { series, other }: Series, { days }: Pick<ReportPage, 'days'>): Attachment {
  const dims = [costs['group_by']!].flat()
  const cells = (one: CostComparison) => [one.costUSD, one.previousUSD, one.deltaUSD, one.deltaPercent]
  const rows = [
    [...dims, 'label', 'cost_usd', 'previous_usd', 'delta_usd', 'delta_percent'],
    ...series.map((one) => [...dims.map((dim) => one.key[dim] ?? ''), one.label, ...cells(figuresOf(one))]),
    ...(other ? [[...dims.map(() => '(other)'), `${other.count} more`, ...cells(figuresOf(other))]] : []),
  ]
  return {
    filename: `costs_${days.from}_${days.to}.csv`,
    contentType: 'text/csv; charset=utf-8',
    content: rows.map(csvRecord).join(''),
  }
}

const ownerGoneText =
  'The owner of this report has left the organization or no longer has a role in it. Reports show what their owner may see.'
const noPermissionText =
  'The owner of this report may no longer see costs: their role does not have the permission service.view.'

/** A report for a person who is not making a request, with the rights they have now. */
export function madeReport(
  { orgId, ownerId, report }: ReportAsked,
  servicesOf: (orgId: string) => Services,
): Promise<ReportMade> {
  return asOrganization(orgId, async () => {
    const services = servicesOf(orgId)
    const caller = await asService(() => personOf(services.identity.em(), orgId, ownerId))
    if (!caller) return { refused: ownerGoneText }
    try {
      const mail = 'views' in report ? dashboardBy(caller, report, services) : reportBy(caller, report, services)
      return { mail: await mail }
    } catch (error) {
      if (error instanceof Fault && error.kind === 'forbidden') return { refused: noPermissionText }
      throw error
    }
  })
}
