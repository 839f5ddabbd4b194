/** Names of providers, chats and sign-in providers, and the neutral names of the interface. */
import { t } from '#engine/value/schema.ts'

/** The real names for the interface's neutral names, in the interface's order. Change them only here. */
export const providers = ['aws', 'gcp', 'azure'] as const
export type Provider = (typeof providers)[number]

const standIns = { 'cloud-a': 'aws', 'cloud-b': 'gcp', 'cloud-c': 'azure' } as const satisfies Record<string, Provider>
export const providerStandIns = Object.keys(standIns) as readonly (keyof typeof standIns)[]

/** A provider in input: the neutral name is accepted too. */
export const ProviderGiven = t.Enum([...providerStandIns, ...providers])

const chatNames = { chat_a: 'slack', chat_b: 'teams', chat_c: 'google_chat' } as const
/** Neutral names of chats. */
export const chatStandIns = Object.keys(chatNames) as readonly (keyof typeof chatNames)[]

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...standIns,
    ...chatNames,
    oauth_a: 'google',
    oauth_b: 'github',
  }),
)

/**
 * The real name for a neutral name (`cloud-a`, also as the prefix of a type); anything else is returned unchanged.
 * Neutral names are read, never written.
 */
export function realName(name: string): string {
  const whole = aliases.get(name)
  if (whole) return whole
  for (const [alias, real] of aliases) if (name.startsWith(`${alias}-`)) return real + name.slice(alias.length)
  return name
}

/** Whether a word is a neutral name: accepted in input, never shown. */
export const isStandIn = (name: unknown): boolean => typeof name === 'string' && realName(name) !== name

export const isProvider = (name: string): name is Provider => (providers as readonly string[]).includes(name)

/** How bills name each provider. */
const billNames: Readonly<Record<Provider, RegExp>> = {
  aws: /^(aws|amazon)\b/i,
  gcp: /^(gcp|google)\b/i,
  azure: /^(azure|microsoft)\b/i,
}

/** The provider with this name in bills. */
export const billedBy = (name: string): Provider | undefined =>
  providers.find((provider) => billNames[provider].test(name))

/** For costs of a provider other than the clouds, of which the product has only bills. */
export const otherProvider = 'other'
export const costProviders = [...providers, otherProvider] as const
export type CostProvider = (typeof costProviders)[number]

/**
 * The name in reports for a stored provider: one of the clouds, the name that another provider's bills use, or `other`
 * if they name none. Costs without a bill have none.
 */
export const costProviderOf = (stored: string): string => (stored === '' || isProvider(stored) ? stored : otherProvider)

/** ServiceProviderName of FOCUS, by stored provider. */
const serviceProviders: Readonly<Record<string, string>> = {
  aws: 'AWS',
  gcp: 'Google Cloud',
  azure: 'Microsoft',
  [otherProvider]: '',
}

export const serviceProviderOf = (stored: string): string =>
  Object.hasOwn(serviceProviders, stored) ? serviceProviders[stored]! : stored

/** The stored providers for the service provider `name`. */
export function storedUnder(name: string): string[] {
  const known = Object.keys(serviceProviders).filter((stored) => serviceProviders[stored] === name)
  return known.length > 0 ? known : [name]
}
