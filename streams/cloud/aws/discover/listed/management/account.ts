/**
 * The account itself, with what its services say of its security and its costs. Not its anomaly monitors: AWS charges
 * a cent for each question about them.
 */
import { Fault } from '#engine/value/fault.ts'
import { noRegion, present, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, seenGlobally, type ListedFinder } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, resource } from '#streams/cloud/aws/map/resource.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { isCredentialsRefused } from '#streams/cloud/connector.ts'
import { peakQuota } from './account-quota.ts'

const type = 'aws-account'
const regionsAtOnce = 4

export const accountItself: ListedFinder = {
  types: [type],
  service: 'iam',
  scope: 'global',
  permissions: [
    'ec2:DescribeRegions',
    'organizations:DescribeOrganization',
    'budgets:ViewBudget',
    'compute-optimizer:GetEnrollmentStatus',
    'iam:GetAccountSummary',
    'iam:GetAccountPasswordPolicy',
    's3:GetAccountPublicAccessBlock',
    'ec2:GetEbsEncryptionByDefault',
    'config:DescribeConfigurationRecorderStatus',
    'cloudtrail:DescribeTrails',
    'cloudtrail:GetTrailStatus',
    'cloudwatch:ListMetrics',
    'cloudwatch:GetMetricData',
    'servicequotas:ListServiceQuotas',
    'bcm-data-exports:ListExports',
    'cur:DescribeReportDefinitions',
    'account:GetAlternateContact',
    'guardduty:ListDetectors',
    'guardduty:GetDetector',
  ],
  attributes: [
    'specs.in_organization',
    'specs.budget_count',
    'specs.compute_optimizer_status',
    'specs.root_mfa_enabled',
    'specs.root_access_key_count',
    'specs.password_min_length',
    'specs.s3_public_access_blocked',
    'specs.ebs_unencrypted_default_regions',
    'specs.multi_region_trail',
    'specs.config_missing_regions',
    'specs.quota_peak_percent',
    'specs.quota_peak_name',
    'specs.billing_export_count',
    'specs.security_contact_present',
    'specs.guardduty_missing_regions',
  ],
  seen: seenGlobally(type),
  async *find(place) {
    const [ofCosts, ofSecurity, ofRegions] = await Promise.all([costsOf(place), securityOf(place), regionsOf(place)])
    const specs = { ...ofCosts, ...ofSecurity, ...ofRegions }
    yield resource(
      type,
      place.account,
      { account: place.account, region: noRegion },
      { name: place.session.account.name, specs },
    )
  },
}

async function costsOf(place: RegionScan): Promise<Record<string, unknown>> {
  const [in_organization, budget_count, billing_export_count, optimizer] = await Promise.all([
    known(place, 'organization', () => isInOrganization(place)),
    known(place, 'budgets', () => countBudgets(place)),
    known(place, 'exports', () => countExports(place)),
    known(place, 'compute optimizer', () =>
      place.ask('compute-optimizer', (m) => new m.GetEnrollmentStatusCommand({})),
    ),
  ])
  const counts = { budget_count, billing_export_count }
  return { in_organization, ...counts, compute_optimizer_status: optimizer?.status }
}

/** Regions that failed in a scan: one is told of once, and not asked again. */
const lostRegions = new WeakMap<RegionScan, Set<string>>()

/** As `also`; a service that fails, or that is not offered to the account, hides its own attributes alone. */
async function known<T>(
  place: RegionScan,
  name: string,
  ask: () => Promise<T>,
  region?: string,
): Promise<T | undefined> {
  const lost = lostRegions.get(place) ?? new Set()
  lostRegions.set(place, lost)
  if (region !== undefined && lost.has(region)) return undefined
  try {
    return await also(place, name, ask)
  } catch (error) {
    if (!(error instanceof Fault) || error.code === 'throttled' || isCredentialsRefused(error)) throw error
    if (region !== undefined) lost.add(region)
    place.notes.told(error.message)
    return undefined
  }
}

async function isInOrganization(place: RegionScan): Promise<boolean> {
  try {
    const { Organization } = await place.ask('organizations', (m) => new m.DescribeOrganizationCommand({}))
    return Organization !== undefined
  } catch (error) {
    if (isWord(error, /^AWSOrganizationsNotInUse/)) return false
    throw error
  }
}

/** Of costs: budgets of usage or of coverage limit no spend. */
async function countBudgets(place: RegionScan): Promise<number> {
  let sum = 0
  const answers = place.pages(
    'budgets',
    (m, NextToken) =>
      new m.DescribeBudgetsCommand({ AccountId: place.account, MaxResults: 100, ...(NextToken && { NextToken }) }),
    ({ NextToken }) => NextToken,
  )
  for await (const { Budgets } of answers)
    sum += listOf(Budgets).filter(({ BudgetType }) => BudgetType === 'COST').length
  return sum
}

/** Of both kinds; those that fail deliver nothing. */
async function countExports(place: RegionScan): Promise<number> {
  const exports = await Array.fromAsync(
    place.pages(
      'bcm-data-exports',
      (m, NextToken) => new m.ListExportsCommand({ MaxResults: 100, ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    ),
  )
  const reports = await Array.fromAsync(
    place.pages(
      'cur',
      (m, NextToken) => new m.DescribeReportDefinitionsCommand({ ...(NextToken && { NextToken }) }),
      ({ NextToken }) => NextToken,
    ),
  )
  const working = exports
    .flatMap(({ Exports }) => listOf(Exports))
    .filter(({ ExportStatus }) => ExportStatus?.StatusCode !== 'UNHEALTHY')
  return working.length + reports.flatMap(({ ReportDefinitions }) => listOf(ReportDefinitions)).length
}

async function securityOf(place: RegionScan): Promise<Record<string, unknown>> {
  const [summary, password_min_length, s3_public_access_blocked, contact, multi_region_trail] = await Promise.all([
    known(place, 'summary', () => place.ask('iam', (m) => new m.GetAccountSummaryCommand({}))),
    withDefault(place, 'password policy', 0, async () => {
      const { PasswordPolicy } = await place.ask('iam', (m) => new m.GetAccountPasswordPolicyCommand({}))
      return PasswordPolicy?.MinimumPasswordLength
    }),
    withDefault(place, 'public access block', false, () => isPublicAccessBlocked(place)),
    withDefault(place, 'security contact', false, async () => {
      const AlternateContactType = 'SECURITY' as const
      const answer = await place.ask('account', (m) => new m.GetAlternateContactCommand({ AlternateContactType }))
      return answer.AlternateContact !== undefined
    }),
    hasMultiRegionTrail(place),
  ])
  const { AccountMFAEnabled: mfa, AccountAccessKeysPresent, AccountPasswordPresent } = summary?.SummaryMap ?? {}
  // A root user without a password, as organizations may have it, cannot sign in and needs no device.
  const withoutMfa = AccountPasswordPresent === 0 ? null : false
  return {
    root_mfa_enabled: mfa === undefined ? undefined : mfa > 0 || withoutMfa,
    root_access_key_count: AccountAccessKeysPresent,
    password_min_length,
    s3_public_access_blocked,
    security_contact_present: contact,
    multi_region_trail,
  }
}

/** `none` where the account has no such thing; undefined where it is refused. */
async function withDefault<T>(
  place: RegionScan,
  name: string,
  none: T,
  ask: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const answer = await known(place, name, async () => ({ value: await present(ask()) }))
  return answer && (answer.value ?? none)
}

async function isPublicAccessBlocked(place: RegionScan): Promise<boolean> {
  const AccountId = place.account
  const answer = await place.ask('s3-control', (m) => new m.GetPublicAccessBlockCommand({ AccountId }))
  const { BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets } =
    answer.PublicAccessBlockConfiguration ?? {}
  return [BlockPublicAcls, IgnorePublicAcls, BlockPublicPolicy, RestrictPublicBuckets].every((one) => one === true)
}

/** Trails of several regions are listed in each of them, and answer where they are at home. */
async function hasMultiRegionTrail(place: RegionScan): Promise<boolean | undefined> {
  const answer = await known(place, 'trails', () =>
    place.ask('cloudtrail', (m) => new m.DescribeTrailsCommand({ includeShadowTrails: true })),
  )
  if (!answer) return undefined
  const trails = listOf(answer.trailList).filter(({ IsMultiRegionTrail }) => IsMultiRegionTrail)
  const logging = await mapConcurrently(trails, regionsAtOnce, async ({ TrailARN, HomeRegion = place.region }) => {
    const status = await known(place, `trail ${TrailARN}`, () =>
      place.session.ask('cloudtrail', HomeRegion, (m) => new m.GetTrailStatusCommand({ Name: TrailARN })),
    )
    return status?.IsLogging
  })
  if (logging.includes(true)) return true
  return logging.includes(undefined) ? undefined : false
}

async function regionsOf(place: RegionScan): Promise<Record<string, unknown>> {
  const regions = await enabledRegions(place)
  if (regions.length === 0) return {}
  const found = await mapConcurrently(regions, regionsAtOnce, async (region) => ({
    unencrypted: await isUnencrypted(place, region),
    unrecorded: await isUnrecorded(place, region),
    unwatched: await isUnwatched(place, region),
    quota: await known(place, `quota ${region}`, () => peakQuota(place, region), region),
  }))
  const peak = found.flatMap(({ quota }) => quota ?? []).toSorted((a, b) => b.percent - a.percent)[0]
  return {
    ebs_unencrypted_default_regions: countTrue(found.map(({ unencrypted }) => unencrypted)),
    config_missing_regions: countTrue(found.map(({ unrecorded }) => unrecorded)),
    guardduty_missing_regions: countTrue(found.map(({ unwatched }) => unwatched)),
    quota_peak_percent: peak?.percent,
    quota_peak_name: peak?.name,
  }
}

/** Those that the account may use, of those that we are to look into. */
async function enabledRegions(place: RegionScan): Promise<readonly string[]> {
  const { regions: wanted } = place.session.account
  const answer = await known(place, 'regions', () => place.ask('ec2', (m) => new m.DescribeRegionsCommand({})))
  if (!answer) return wanted
  const enabled = listOf(answer.Regions).flatMap(({ RegionName }) => RegionName ?? [])
  return wanted.length === 0 ? enabled : enabled.filter((one) => wanted.includes(one))
}

async function isUnencrypted(place: RegionScan, region: string): Promise<boolean | undefined> {
  const answer = await known(
    place,
    `encryption ${region}`,
    () => place.session.ask('ec2', region, (m) => new m.GetEbsEncryptionByDefaultCommand({})),
    region,
  )
  return answer && !answer.EbsEncryptionByDefault
}

async function isUnrecorded(place: RegionScan, region: string): Promise<boolean | undefined> {
  const answer = await known(
    place,
    `recorders ${region}`,
    () => place.session.ask('config-service', region, (m) => new m.DescribeConfigurationRecorderStatusCommand({})),
    region,
  )
  return answer && !listOf(answer.ConfigurationRecordersStatus).some(({ recording }) => recording)
}

/** A region without a detector, or with one that is suspended. */
async function isUnwatched(place: RegionScan, region: string): Promise<boolean | undefined> {
  const ask = async () => {
    const { detectorIds } = await place.session.ask('guardduty', region, (m) => new m.ListDetectorsCommand({}))
    const [DetectorId] = listOf(detectorIds)
    if (DetectorId === undefined) return { status: 'NONE' }
    return place.session.ask('guardduty', region, (m) => new m.GetDetectorCommand({ DetectorId }))
  }
  const status = await known(place, `detector ${region}`, ask, region)
  return status && status.status !== 'ENABLED'
}

/** Undefined where a region that is unknown could make it more than none. */
function countTrue(all: readonly (boolean | undefined)[]): number | undefined {
  const count = all.filter((one) => one === true).length
  return count === 0 && all.includes(undefined) ? undefined : count
}
