import { t } from '#engine/schema.ts'

/** The real names behind the interface's neutral stand-ins, in the interface's order. The one place to change them. */
export const providers = ['aws', 'gcp', 'azure'] as const
export type Provider = (typeof providers)[number]

const standIns = { 'cloud-a': 'aws', 'cloud-b': 'gcp', 'cloud-c': 'azure' } as const satisfies Record<string, Provider>
export const providerStandIns = Object.keys(standIns) as readonly (keyof typeof standIns)[]

/** A provider as it may be given: by its stand-in too. */
export const ProviderGiven = t.Enum([...providerStandIns, ...providers])

const chatNames = { chat_a: 'slack', chat_b: 'teams', chat_c: 'google_chat' } as const
/** Of chats. */
export const chatStandIns = Object.keys(chatNames) as readonly (keyof typeof chatNames)[]

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...standIns,
    ...chatNames,
    oauth_a: 'google',
    oauth_b: 'github',
  }),
)

/** The real name for a stand-in (`cloud-a`, also as the prefix of a type); anything else is itself. Stand-ins are read, never written. */
export function realName(name: string): string {
  const whole = aliases.get(name)
  if (whole) return whole
  for (const [alias, real] of aliases) if (name.startsWith(`${alias}-`)) return real + name.slice(alias.length)
  return name
}

/** Whether a word stands for a real name: it is read, and shown nowhere. */
export const isStandIn = (name: unknown): boolean => typeof name === 'string' && realName(name) !== name

export const isProvider = (name: string): name is Provider => (providers as readonly string[]).includes(name)

/** What bills call each provider. */
const billed: Readonly<Record<Provider, RegExp>> = {
  aws: /^(aws|amazon)\b/i,
  gcp: /^(gcp|google)\b/i,
  azure: /^(azure|microsoft)\b/i,
}

/** The provider that bills call so. */
export const billedBy = (name: string): Provider | undefined =>
  providers.find((provider) => billed[provider].test(name))
