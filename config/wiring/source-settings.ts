/** Settings of source hosts and builders, in the form that routes and effects use. */
import { settings as declared, type Settings } from '#config/settings/settings.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

const dropUndefined = (...secrets: readonly (string | undefined)[]): string[] =>
  secrets.filter((secret) => secret !== undefined)

const loopback = /^(?:127(?:\.\d+){3}|localhost|\[?::1\]?)$/
/** Whether the service can only be reached from this machine. */
const isLocal = ({ host, publicUrl }: Settings): boolean =>
  loopback.test(host) && (publicUrl === undefined || loopback.test(new URL(publicUrl).hostname))

/** The previous secret works only together with a current one; without that, the route is closed. */
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

/** Whether a variable has been set to a meaningful value. */
export function isGiven(read: Settings, variable: string): boolean {
  const [field] = Object.entries(declared).find(([, { name }]) => name === variable) ?? []
  return field !== undefined && read[field as keyof Settings] !== undefined
}

/**
 * Minimum characters of a key for HS256 that cannot be guessed: every builder knows a token, and could try keys against
 * it.
 */
const callbackSecretMin = 32

/** Warns of settings that are valid but probably not intended; one sentence each. */
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
