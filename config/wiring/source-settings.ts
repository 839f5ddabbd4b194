/** What the settings say of hosts of sources and builders, as routes and works use it. */
import { settings as declared, type Settings } from '#config/settings/settings.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

const dropUndefined = (...secrets: readonly (string | undefined)[]): string[] =>
  secrets.filter((secret) => secret !== undefined)

const loopback = /^(?:127(?:\.\d+){3}|localhost|\[?::1\]?)$/
/** Whether only this machine reaches the service. */
const isLocal = ({ host, publicUrl }: Settings): boolean =>
  loopback.test(host) && (publicUrl === undefined || loopback.test(new URL(publicUrl).hostname))

/** The previous secret alone opens nothing: without a current one the route is shut. */
export const sourceOf = (settings: Settings): SourceSecrets => ({
  github:
    settings.sourceSecret === undefined ? [] : dropUndefined(settings.sourceSecret, settings.sourceSecretPrevious),
  gitlab: dropUndefined(settings.gitlabSecret),
  bitbucket: dropUndefined(settings.bitbucketSecret),
  azureDevops: dropUndefined(settings.azureDevopsSecret),
  linksAreOpen: (settings.sourceLinks ?? (isLocal(settings) ? 'open' : 'proven')) === 'open',
  callback: settings.buildCallbackSecret,
  apiUrl: settings.sourceApiUrl?.replace(/\/+$/, ''),
  apiToken: settings.sourceApiToken,
})

/** Whether a variable has been given a value that means something. */
export function isGiven(read: Settings, variable: string): boolean {
  const [field] = Object.entries(declared).find(([, { name }]) => name === variable) ?? []
  return field !== undefined && read[field as keyof Settings] !== undefined
}

/** Characters of a key for HS256 that nobody tries out: a token is known to whoever builds. */
const callbackSecretMin = 32

/** What is likely meant otherwise, though it can be done: for who starts a process, one sentence each. */
export function sourceWarnings({ role, publicUrl, buildCallbackSecret: secret }: Settings): string[] {
  if (secret === undefined) return []
  const warnings: string[] = []
  if (secret.length < callbackSecretMin)
    warnings.push(
      `BUILD_CALLBACK_SECRET is shorter than ${callbackSecretMin} characters: builders could derive it from a token`,
    )
  if (role === 'engine' && publicUrl === undefined)
    warnings.push('PUBLIC_URL is not set: builds cannot report their result, and each one fails after 35 minutes')
  return warnings
}
