import { setTimeout as delay } from 'node:timers/promises'
import type { User } from '@aws-sdk/client-iam'
import { parse } from 'csv-parse/sync'
import type { RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, daysSince, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, orNull, timeOf } from '#streams/cloud/aws/map/resource.ts'

/** A line of the credential report, by its columns. */
type Line = Readonly<Record<string, string>>

interface Credential {
  /** When a key was created or changed, or a password set. */
  changed: Date | undefined
  used: Date | undefined
}

export const iamUsers = listType('iam', {
  type: 'aws-iam-user',
  permissions: ['iam:ListUsers', 'iam:GenerateCredentialReport', 'iam:GetCredentialReport'],
  scope: 'global',
  list: (m, Marker) => new m.ListUsersCommand({ MaxItems: 1000, ...(Marker && { Marker }) }),
  next: ({ Marker }) => Marker,
  items: async ({ Users }, place) => {
    const users = listOf(Users)
    const report = users.length === 0 ? undefined : await also(place, 'credentials', () => reportOf(place))
    return users.map((user): { user: User; line: Line | undefined } => ({ user, line: report?.get(user.Arn ?? '') }))
  },
  uid: ({ user }) => user.Arn,
  fields: ({ user }, { account }) => ({ name: user.UserName, parentUID: account, tags: user.Tags }),
  specs: {
    created_at: ({ user }) => timeOf(user.CreateDate),
    console_access: ({ line }) => line && hasPassword(line),
    mfa_active: ({ line }) => line && line['mfa_active'] === 'true',
    oldest_key_age_days: ({ line }) => line && orNull(mostOf(keysOf(line).map(({ changed }) => daysSince(changed)))),
    // One that was never used counts from the day on which it was made.
    days_since_use: ({ line }) =>
      line && orNull(leastOf(credentialsOf(line).map(({ used, changed }) => daysSince(used ?? changed)))),
  },
})

const hasPassword = (line: Line): boolean => line['password_enabled'] === 'true'

/** Those that are active: others let nobody in. */
const keysOf = (line: Line): Credential[] =>
  ['access_key_1', 'access_key_2']
    .filter((key) => line[`${key}_active`] === 'true')
    .map((key) => ({ changed: dateIn(line[`${key}_last_rotated`]), used: dateIn(line[`${key}_last_used_date`]) }))

const credentialsOf = (line: Line): Credential[] => [
  ...keysOf(line),
  ...(hasPassword(line)
    ? [{ changed: dateIn(line['password_last_changed']), used: dateIn(line['password_last_used']) }]
    : []),
]

/** The report writes `N/A`, `no_information` and `not_supported` where it has no time. */
function dateIn(text = ''): Date | undefined {
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : new Date(time)
}

const known = (days: readonly (number | undefined)[]): number[] => days.filter((one) => one !== undefined)
const mostOf = (days: readonly (number | undefined)[]): number | undefined => known(days).toSorted((a, b) => b - a)[0]
const leastOf = (days: readonly (number | undefined)[]): number | undefined => known(days).toSorted((a, b) => a - b)[0]

const tries = 15
const pauseMs = 2000

/** By the ARN of the user. AWS makes a new report at most every four hours; undefined if it takes too long. */
async function reportOf(place: RegionScan): Promise<ReadonlyMap<string, Line> | undefined> {
  for (let i = 0; i < tries; i++) {
    const { State } = await place.ask('iam', (m) => new m.GenerateCredentialReportCommand({}))
    if (State === 'COMPLETE') {
      const { Content } = await place.ask('iam', (m) => new m.GetCredentialReportCommand({}))
      const lines = parse<Line>(new TextDecoder().decode(Content), { columns: true })
      return new Map(lines.map((line) => [line['arn'] ?? '', line]))
    }
    const { signal } = place.session
    await delay(pauseMs, undefined, signal && { signal }).catch(() => {})
  }
  return undefined
}
