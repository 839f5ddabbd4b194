import { t } from '#engine/value/schema.ts'
import { flag, some, text } from '#streams/cloud/gcp/answer/field.ts'
import { allOf, also, daysSince, listType, onceIn, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'

const Account = t.Object({ name: t.String(), email: t.String(), displayName: text, disabled: flag })
const Key = t.Object({ validAfterTime: text })
const Activity = t.Object({
  fullResourceName: text,
  observationPeriod: some({ startTime: text }),
  activity: some({ lastAuthenticatedTime: text }),
})

/** Days since the last authentication, by email; of an account that had none, since it has been watched. */
const daysUnused = onceIn((place) =>
  also(place, 'policyanalyzer.serviceAccountLastAuthenticationActivities.query', async () => {
    const call = {
      service: 'policyanalyzer',
      path: `/projects/${place.project}/locations/global/activityTypes/serviceAccountLastAuthentication/activities:query`,
      query: { pageSize: 1000 },
      permission: 'policyanalyzer.serviceAccountLastAuthenticationActivities.query',
    } as const
    const found = await allOf(place, call, 'activities', Activity)
    return new Map(
      found.map(({ fullResourceName = '', activity, observationPeriod }) => [
        fullResourceName.slice(fullResourceName.lastIndexOf('/') + 1),
        daysSince(activity?.lastAuthenticatedTime ?? observationPeriod?.startTime),
      ]),
    )
  }),
)

export const serviceAccounts = listType(
  pagesOf(
    (project) => ({
      service: 'iam',
      path: `/projects/${project}/serviceAccounts`,
      query: { pageSize: 100 },
      permission: 'iam.serviceAccounts.list',
    }),
    'accounts',
    Account,
  ),
  {
    type: 'gcp-service-account',
    permissions: [
      'iam.serviceAccounts.list',
      'iam.serviceAccountKeys.list',
      'policyanalyzer.serviceAccountLastAuthenticationActivities.query',
    ],
    detail: async ({ email, disabled }, place) => {
      const path = `/projects/${place.project}/serviceAccounts/${encodeURIComponent(email)}/keys`
      const query = { keyTypes: 'USER_MANAGED' }
      const call = { service: 'iam', path, query, permission: 'iam.serviceAccountKeys.list' } as const
      const keys = await also(place, call.permission, () => allOf(place, call, 'keys', Key))
      return { keys, unused: disabled ? undefined : (await daysUnused(place))?.get(email) }
    },
    uid: ({ name }, place) => uidIn('iam', name, place),
    fields: ({ email }) => ({ name: email, region: 'global' }),
    specs: {
      disabled: ({ disabled }) => disabled === true,
      display_name: ({ displayName }) => displayName,
      user_key_count: (_, detail) => detail?.keys?.length,
      oldest_user_key_days: (_, detail) => {
        const ages = detail?.keys?.flatMap(({ validAfterTime }) => daysSince(validAfterTime) ?? [])
        return ages && (ages.length === 0 ? null : Math.max(...ages))
      },
      days_since_use: (_, detail) => detail?.unused,
    },
  },
)
