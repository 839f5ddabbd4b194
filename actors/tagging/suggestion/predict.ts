/** Predicts environment and owner of a resource by fixed rules, from evidence alone (decision G-35). */
import type { Static } from '#engine/value/schema.ts'
import type { Environment, TagFacts } from '#streams/tagging.ts'
import { isVitalType } from './vital-type.ts'

/** Evidence in the resource itself for its environment and owner (decision G-35). */
export interface Signals {
  /** From a tag, with its key and value. */
  tag?: { env: Environment; key: string; value: string }
  /** From the name: the first token with an environment, and other environments in later tokens. */
  name?: { env: Environment; token: string; others: Environment[] }
  /** From the size class. */
  size?: { env: Environment; value: string }
  /** From a tag. */
  owner?: string
  /** The part of the name before that token, as `teamSlug` writes it: the owner, if a team has that name. */
  prefix?: string
  /** A tag says that it must not be stopped. */
  isAlwaysOn?: true
  /** In production it must not be stopped, because of its type or its name. */
  isVital?: true
}

/**
 * Evidence around the resource: environment of the parent and of the neighbours, empty for none, and the team whose
 * name its own name begins with.
 */
export interface Around {
  parentEnv: Environment | ''
  topologyEnv: Environment | ''
  teamName?: string | undefined
}

export interface Prediction {
  env: Environment
  noStop: boolean
  extraTags: Record<string, string>
  /** 1 to 100. */
  confidence: number
  reason: string
}

const words: Readonly<Record<Environment, readonly string[]>> = {
  prod: ['prod', 'production', 'prd', 'live'],
  staging: ['staging', 'stage', 'stg', 'uat', 'preprod'],
  dev: ['dev', 'develop', 'development', 'test', 'testing', 'qa', 'sandbox', 'sbx'],
}
const envOf: ReadonlyMap<string, Environment> = new Map(
  Object.entries(words).flatMap(([env, tokens]) => tokens.map((token) => [token, env as Environment] as const)),
)

const envKeys = ['env', 'environment', 'stage'] as const
const ownerKeys = ['owner', 'team', 'contact'] as const
const alwaysOnKeys = ['no-stop', 'always-on'] as const
const truthy: readonly string[] = ['true', '1', 'yes', 'on']
const vitalTokens: readonly string[] = ['primary', 'master', 'bastion', 'vpn', 'dns']
const negations: readonly string[] = ['non', 'not', 'no']

/** Maximum characters of a value in a sentence. */
const saidMax = 60

interface Token {
  word: string
  /** Position of its first character. */
  at: number
}

const tokensOf = (text: string): Token[] =>
  plainTokens(text) ??
  Array.from(text.matchAll(/[\p{L}\p{N}]+/gu), (match) => ({ word: match[0].toLowerCase(), at: match.index }))

const isPlainWord = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** A much faster version for ASCII text, which nearly all names are; undefined for other text. */
function plainTokens(text: string): Token[] | undefined {
  const found: Token[] = []
  let from = -1
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 0
    if (code > 127) return undefined
    const isIn = isPlainWord(code)
    if (isIn && from < 0) from = at
    else if (!isIn && from >= 0) {
      found.push({ word: text.slice(from, at).toLowerCase(), at: from })
      from = -1
    }
  }
  return found
}

interface EnvironmentMention {
  env: Environment
  token: string
  at: number
}

/**
 * The environments named by the tokens of a text, in order. Production after `pre` is staging, and after a negation it
 * is none.
 */
function environmentsIn(tokens: readonly Token[]): EnvironmentMention[] {
  return tokens.flatMap(({ word, at }, i) => {
    const env = envOf.get(word)
    const before = tokens[i - 1]
    if (env === undefined) return []
    if (env !== 'prod' || !before) return [{ env, token: word, at }]
    if (before.word === 'pre') return [{ env: 'staging' as const, token: `pre-${word}`, at: before.at }]
    return negations.includes(before.word) ? [] : [{ env, token: word, at }]
  })
}

/** The first environment named by a text; undefined if there is none. */
export const environmentIn = (text: string): Environment | undefined => environmentsIn(tokensOf(text))[0]?.env

/** Two names are of the same team if their slugs are equal. */
export const teamSlug = (name: string): string => {
  const slug = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '-')
  return slug.replace(/^-/, '').replace(/-$/, '')
}

/** Only evidence in the resource itself. */
export function signalsOf({ name, type, instanceType, tags }: Static<typeof TagFacts>): Signals {
  const tokens = tokensOf(name)
  const [said, ...further] = environmentsIn(tokens)
  const meaning = readMeanings(tags)
  const tag = envTag(meaning.env)
  const size = sizeOf(instanceType)
  const owner = meaning.owner.find(([, value]) => value.trim() !== '')?.[1]
  const prefix = said ? teamSlug(name.slice(0, said.at)) : ''
  const isVital = isVitalType(type) || tokens.some(({ word }) => vitalTokens.includes(word))
  const isAlwaysOn = meaning.alwaysOn.some(([, value]) => truthy.includes(value.trim().toLowerCase()))
  return {
    ...(tag && { tag }),
    ...(said && { name: { env: said.env, token: said.token, others: othersThan(said.env, further) } }),
    ...(size && { size }),
    ...(owner !== undefined && { owner }),
    ...(prefix !== '' && { prefix }),
    ...(isAlwaysOn && { isAlwaysOn }),
    ...(isVital && { isVital }),
  }
}

const othersThan = (env: Environment, said: readonly EnvironmentMention[]): Environment[] => [
  ...new Set(said.map((one) => one.env).filter((one) => one !== env)),
]

/** The meanings of tag keys, in lower case, with their rank within a kind. */
const meanings: ReadonlyMap<string, { about: keyof TagMeanings; rank: number }> = new Map(
  Object.entries({ env: envKeys, owner: ownerKeys, alwaysOn: alwaysOnKeys }).flatMap(([about, keys]) =>
    keys.map((key, rank) => [key, { about: about as keyof TagMeanings, rank }] as const),
  ),
)

interface TagMeanings {
  env: [key: string, value: string, rank: number][]
  owner: TagMeanings['env']
  alwaysOn: TagMeanings['env']
}

/** Tags with a meaning, ignoring the case of their keys; sorted by rank within a kind, then alphabetically. */
function readMeanings(tags: Readonly<Record<string, string>>): TagMeanings {
  const found: TagMeanings = { env: [], owner: [], alwaysOn: [] }
  for (const key in tags) {
    const meaning = meanings.get(key.toLowerCase())
    if (meaning) found[meaning.about].push([key, tags[key]!, meaning.rank])
  }
  for (const list of [found.env, found.owner, found.alwaysOn])
    if (list.length > 1) list.sort((a, b) => a[2] - b[2] || (a[0] < b[0] ? -1 : 1))
  return found
}

function envTag(tags: TagMeanings['env']): Signals['tag'] {
  for (const [key, value] of tags) {
    const [said] = environmentsIn(tokensOf(value))
    if (said) return { env: said.env, key, value: cut(value) }
  }
  return undefined
}

/** The first token of an instance type that names its size. */
const sizeToken = /(?<![\p{L}\p{N}])(?:(nano|micro|small)|metal|(\d{1,4})xlarge)(?![\p{L}\p{N}])/giu
const largeFrom = 8

function sizeOf(instanceType: string): Signals['size'] {
  if (instanceType === '') return undefined
  for (const [, small, times] of instanceType.matchAll(sizeToken)) {
    if (small !== undefined) return { env: 'dev', value: cut(instanceType) }
    if (times === undefined || Number(times) >= largeFrom) return { env: 'prod', value: cut(instanceType) }
  }
  return undefined
}

const cut = (text: string): string => {
  const points = Array.from(text)
  return points.length > saidMax ? `${points.slice(0, saidMax).join('')}…` : text
}

interface Voice {
  env: Environment
  weight: number
  /** Its name in a sentence. */
  called: string
}

const againstUs = 20
/** Confidence by the number of agreeing voices. */
const agreeing = [0, 0, 88, 95] as const

/** Highest weight first. */
function voicesOf({ tag, name, size }: Signals, { parentEnv, topologyEnv }: Around): Voice[] {
  const voice = (env: Environment | '' | undefined, weight: number, called: string): Voice[] =>
    env ? [{ env, weight, called }] : []
  return [
    ...voice(tag?.env, 78, `the tag ${tag?.key}=${tag?.value}`),
    ...voice(name?.env, 70, `the name (${name?.token})`),
    ...voice(parentEnv, 60, 'its parent'),
    ...voice(topologyEnv, 55, 'its neighborhood'),
    ...voice(size?.env, 35, `the size ${size?.value}`),
  ]
}

/** Undefined if there is no evidence for an environment: an owner alone is no prediction. */
export function predict(signals: Signals, around: Around): Prediction | undefined {
  const voices = voicesOf(signals, around)
  const [strongest] = voices
  if (!strongest) return undefined
  const { env } = strongest
  const others = (signals.name?.others ?? []).filter((one) => one !== env)
  const agree = voices.filter((voice) => voice.env === env)
  const against = voices.filter((voice) => voice.env !== env)
  const sure = agree.length === 1 ? strongest.weight : agreeing[Math.min(agree.length, 3)]!
  const owner = signals.owner ?? around.teamName
  return {
    env,
    noStop: signals.isAlwaysOn === true || (env === 'prod' && signals.isVital === true),
    extraTags: owner === undefined ? {} : { owner },
    confidence: Math.max(1, sure - againstUs * (against.length + others.length)),
    reason: reasonOf(env, agree, against, others),
  }
}

function reasonOf(
  env: Environment,
  agree: readonly Voice[],
  against: readonly Voice[],
  others: readonly Environment[],
) {
  const said = `${joinWords(agree.map(({ called }) => called))} ${agree.length === 1 ? 'indicates' : 'indicate'} ${env}`
  const but = [
    ...against.map((voice) => `${voice.called} indicates ${voice.env}`),
    ...others.map((other) => `the name also contains ${other}`),
  ]
  const sentence = but.length === 0 ? said : `${said}, but ${joinWords(but)}`
  return `${sentence[0]!.toUpperCase()}${sentence.slice(1)}.`
}

function joinWords(parts: readonly string[]): string {
  return parts.length === 1 ? parts[0]! : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
