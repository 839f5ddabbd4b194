import type { Story } from './story.ts'

/** Age in days of the account `sim-aws-analytics`. */
export const onboardedDaysAgo = 16

/** Stories that show in costs and their history. */
export const pastStories: readonly Story[] = [
  {
    id: 'expired-reservation',
    title: 'A reservation expired three weeks ago',
    find: 'Anomalies 20 days ago on the three checkout machines with the cause reservation expiry: 0.23808 to 0.384 an hour. Commitments: expired, 21 days ago.',
    rules: [],
    account: 'sim-aws-production',
    names: ['checkout-api-1', 'checkout-api-2', 'checkout-api-3'],
    change: { purchase: { type: 'reserved', factor: 0.62, commitmentId: 'ri-sim-checkout-1y', endedDaysAgo: 21 } },
  },
  {
    id: 'resize-spike',
    title: 'A machine ran at four times its size for two days',
    find: 'Anomaly 11 days ago with the cause instance resize: 0.384 to 1.536 an hour, back after two days.',
    rules: [],
    account: 'sim-aws-production',
    names: ['pricing-engine-1'],
    change: { resize: { size: 'm5.8xlarge', fromDaysAgo: 11, toDaysAgo: 10 } },
  },
  {
    id: 'growing-bucket',
    title: 'A bucket that only grows',
    find: 'Trends: its storage grows by 30 GB every day and has no lifecycle rule. Rightsizing recommendations RC-1148 and RC-1149.',
    rules: ['RC-1148', 'RC-1149'],
    account: 'sim-aws-production',
    names: ['sim-shop-clickstream-raw'],
    change: {
      gbADay: 30,
      specs: {
        lifecycle_rule_count: 0,
        tiering_rule: false,
        abort_multipart_rule: false,
        noncurrent_rule: false,
        noncurrent_gb: 0,
        multipart_gb: 210,
        versioning: 'Off',
      },
    },
  },
  {
    id: 'onboarding',
    title: 'A new account was added',
    find: 'The account has been billed since its first day 16 days ago: anomaly with the cause new-account onboarding.',
    rules: [],
    account: 'sim-aws-analytics',
    names: [],
    change: { bornDaysAgo: onboardedDaysAgo },
  },
]
