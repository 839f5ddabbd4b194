import type { Hours, Load, Purchase } from '#streams/cloud/simulated/resource.ts'

/** What a story does to its resources. Days are counted back from the world's day. */
export interface Change {
  load?: Load
  hours?: Hours
  specs?: Readonly<Record<string, unknown>>
  /** Specs that count the days since so many days ago. */
  since?: Readonly<Record<string, number>>
  bornDaysAgo?: number
  gbADay?: number
  purchase?: Omit<Purchase, 'until'> & { endedDaysAgo: number }
  resize?: { size: string; fromDaysAgo: number; toDaysAgo: number }
}

/** Something planted for a user to find. Its resources are all those of the account with one of the names, or the whole account. */
export interface Story {
  id: string
  title: string
  /** What a user should find, where. */
  find: string
  account: string
  names: readonly string[]
  change: Change
}

/** Days ago the account of `sim-aws-analytics` was opened. */
export const onboardedDaysAgo = 16

/** Every planted story, in no order. */
export const stories: readonly Story[] = [
  {
    id: 'idle-vms-aws',
    title: 'Two large reporting machines nobody uses',
    find: 'Idle recommendations: CPU stays below 5 % day and night; stopping both saves about 560 dollars a month.',
    account: 'sim-aws-production',
    names: ['report-legacy-1', 'report-legacy-2'],
    change: { load: 'idle' },
  },
  {
    id: 'idle-vms-gcp',
    title: 'A crawler that crawls nothing',
    find: 'Idle recommendation: CPU stays below 5 %.',
    account: 'sim-gcp-data',
    names: ['crawler-old-1'],
    change: { load: 'idle' },
  },
  {
    id: 'orphan-disks-aws',
    title: 'Disks left over from a migration',
    find: 'Orphan recommendations: three volumes attached to nothing for four months.',
    account: 'sim-aws-production',
    names: ['migration-scratch-1', 'migration-scratch-2', 'migration-scratch-3'],
    change: { specs: { state: 'available' }, since: { days_detached: 120 }, bornDaysAgo: 340 },
  },
  {
    id: 'orphan-disks-gcp',
    title: 'Disks restored once and forgotten',
    find: 'Orphan recommendations: two disks without a user for two months.',
    account: 'sim-gcp-data',
    names: ['restore-test-1', 'restore-test-2'],
    change: { specs: { user_count: 0 }, since: { days_detached: 60 }, bornDaysAgo: 60 },
  },
  {
    id: 'orphan-disks-azure',
    title: 'Disks of machines that are gone',
    find: 'Orphan recommendations: two unattached premium disks.',
    account: 'sim-azure-corp',
    names: ['decommissioned-vm-disk-1', 'decommissioned-vm-disk-2'],
    change: { specs: { state: 'Unattached' }, since: { days_detached: 95 } },
  },
  {
    id: 'unattached-addresses-aws',
    title: 'Addresses attached to nothing',
    find: 'Orphan recommendations: three elastic addresses billed by the hour for nothing.',
    account: 'sim-aws-production',
    names: ['spare-address-1', 'spare-address-2', 'spare-address-3'],
    change: { specs: { associated: false } },
  },
  {
    id: 'unattached-addresses-gcp',
    title: 'Reserved addresses out of use',
    find: 'Orphan recommendations: two reserved addresses.',
    account: 'sim-gcp-data',
    names: ['reserved-address-1', 'reserved-address-2'],
    change: { specs: { state: 'RESERVED', address_type: 'EXTERNAL' } },
  },
  {
    id: 'unattached-addresses-azure',
    title: 'Public addresses without a machine',
    find: 'Orphan recommendations: two public addresses.',
    account: 'sim-azure-corp',
    names: ['free-ip-1', 'free-ip-2'],
    change: { specs: { associated: false, sku: 'Standard' } },
  },
  {
    id: 'old-snapshots',
    title: 'Snapshots from before an upgrade long past',
    find: 'Orphan recommendations: six snapshots older than a year, whose volumes no longer exist.',
    account: 'sim-aws-production',
    names: [
      'before-upgrade-1',
      'before-upgrade-2',
      'before-upgrade-3',
      'before-upgrade-4',
      'before-upgrade-5',
      'before-upgrade-6',
    ],
    change: { specs: { storage_tier: 'standard', managed_by_backup: false }, bornDaysAgo: 420 },
  },
  {
    id: 'oversized-database',
    title: 'A database four sizes too large',
    find: 'Rightsizing recommendation: CPU below 10 % on a db.r5.4xlarge at 1,460 dollars a month.',
    account: 'sim-aws-production',
    names: ['orders-archive-db'],
    change: { load: 'light' },
  },
  {
    id: 'weekend-cluster',
    title: 'A development cluster that runs through the weekend',
    find: 'Schedule recommendation: the node pool does next to nothing at night and at weekends and is never stopped.',
    account: 'sim-azure-dev',
    names: ['corp-dev-workers'],
    change: { load: 'office', hours: 'always' },
  },
  {
    id: 'expired-reservation',
    title: 'A reservation ran out three weeks ago',
    find: 'Anomalies 20 days ago on the three checkout machines with the cause reservation expiry: 0.23808 to 0.384 an hour.',
    account: 'sim-aws-production',
    names: ['checkout-api-1', 'checkout-api-2', 'checkout-api-3'],
    change: { purchase: { type: 'reserved', factor: 0.62, commitmentId: 'ri-sim-checkout-1y', endedDaysAgo: 21 } },
  },
  {
    id: 'resize-spike',
    title: 'A machine was four times its size for two days',
    find: 'Anomaly 11 days ago with the cause instance resize: 0.384 to 1.536 an hour, back after two days.',
    account: 'sim-aws-production',
    names: ['pricing-engine-1'],
    change: { resize: { size: 'm5.8xlarge', fromDaysAgo: 11, toDaysAgo: 10 } },
  },
  {
    id: 'growing-bucket',
    title: 'A bucket that only ever grows',
    find: 'Trends: its storage grows by 30 GB every day and has no lifecycle rule.',
    account: 'sim-aws-production',
    names: ['sim-shop-clickstream-raw'],
    change: { gbADay: 30, specs: { lifecycle_rule_count: 0, tiering_rule: false, versioning: 'Off' } },
  },
  {
    id: 'onboarding',
    title: 'A new account came in',
    find: 'The whole account bills from its first day 16 days ago on: anomaly with the cause new-account onboarding.',
    account: 'sim-aws-analytics',
    names: [],
    change: { bornDaysAgo: onboardedDaysAgo },
  },
]
