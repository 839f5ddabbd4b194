import { t } from '#engine/value/schema.ts'

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

/** Of costs: a cloud, or any other provider, of which the product has bills alone. */
export const otherProvider = 'other'
export const costProviders = [...providers, otherProvider] as const
export type CostProvider = (typeof costProviders)[number]

/**
 * What reports call a provider that costs are stored under: one of the clouds, the name that another provider's bills give it, or
 * `other` where they give none. Costs of no bill have none.
 */
export const costProviderOf = (stored: string): string => (stored === '' || isProvider(stored) ? stored : otherProvider)

/** ServiceProviderName of FOCUS, by the provider that costs are stored under. */
const serviceProviders: Readonly<Record<string, string>> = {
  aws: 'AWS',
  gcp: 'Google Cloud',
  azure: 'Microsoft',
  [otherProvider]: '',
}

export const serviceProviderOf = (stored: string): string =>
  Object.hasOwn(serviceProviders, stored) ? serviceProviders[stored]! : stored

/** The providers that costs are stored under, of the service provider `name`. */
export function storedUnder(name: string): string[] {
  const known = Object.keys(serviceProviders).filter((stored) => serviceProviders[stored] === name)
  return known.length > 0 ? known : [name]
}
