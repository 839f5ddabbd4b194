/** What the settings say of hosts of sources and builders, as routes and works use it. */
import { settings as declared, type Settings } from '#config/settings.ts'
import type { SourceSecrets } from '#streams/source/secrets.ts'

const given = (...secrets: readonly (string | undefined)[]): string[] =>
  secrets.filter((secret) => secret !== undefined)

/** The previous secret alone opens nothing: without a current one the route is shut. */
export const sourceOf = (settings: Settings): SourceSecrets => ({
  github: settings.sourceSecret === undefined ? [] : given(settings.sourceSecret, settings.sourceSecretPrevious),
  gitlab: given(settings.gitlabSecret),
  bitbucket: given(settings.bitbucketSecret),
  azureDevops: given(settings.azureDevopsSecret),
  callback: settings.buildCallbackSecret,
  apiUrl: settings.sourceApiUrl?.replace(/\/+$/, ''),
  apiToken: settings.sourceApiToken,
})

/** Whether a variable has been given a value that means something. */
export function isGiven(read: Settings, variable: string): boolean {
  const [field] = Object.entries(declared).find(([, { name }]) => name === variable) ?? []
  return field !== undefined && read[field as keyof Settings] !== undefined
}
