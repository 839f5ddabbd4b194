/** Settings of what hosts of sources and builders tell, and are told. */
import { address, longText, setting, text, word } from './setting.ts'

const none = undefined as string | undefined

/** `whsec_` stands before a key in base64: with nothing behind it anybody could sign. */
function gitlabSecret(value: string): string {
  if (value.startsWith('whsec_') && Buffer.from(value.slice('whsec_'.length), 'base64').length === 0)
    throw new Error('must be whsec_ followed by a base64 key')
  return value
}

export const sourceSettings = {
  sourceSecret: setting(
    'SOURCE_APP_WEBHOOK_SECRET',
    none,
    '',
    'Secret that GitHub signs webhooks with; without it, /webhooks/github returns 503.',
    text,
  ),
  sourceSecretPrevious: setting(
    'SOURCE_APP_WEBHOOK_SECRET_PREVIOUS',
    none,
    '',
    'Previous secret, also accepted during a rotation.',
    text,
  ),
  gitlabSecret: setting(
    'GITLAB_WEBHOOK_SECRET',
    none,
    '',
    'Secret that GitLab signs webhooks with, or sends as a token; without it, /webhooks/gitlab is disabled.',
    gitlabSecret,
  ),
  bitbucketSecret: setting(
    'BITBUCKET_WEBHOOK_SECRET',
    none,
    '',
    'Secret that Bitbucket signs webhooks with; without it, /webhooks/bitbucket is disabled.',
    text,
  ),
  azureDevopsSecret: setting(
    'AZURE_DEVOPS_WEBHOOK_SECRET',
    none,
    '',
    'Password of Azure DevOps service hooks; without it, /webhooks/azure-devops is disabled.',
    text,
  ),
  sourceLinks: setting(
    'SOURCE_LINKS',
    undefined as 'open' | 'proven' | undefined,
    '',
    'Who receives a push: only the organization that verified the repository (proven), or all organizations that deploy it (open, for trusted installations); default: open if HOST and PUBLIC_URL are loopback addresses, otherwise proven.',
    word('open', 'proven'),
  ),
  sourceApiUrl: setting(
    'SOURCE_API_URL',
    none,
    '',
    'GitHub API for pull request statuses; without it, pull requests are ignored.',
    address('http:', 'https:'),
  ),
  sourceApiToken: setting('SOURCE_API_TOKEN', none, '', 'Token for posting these statuses.', text),
  buildCallbackSecret: setting(
    'BUILD_CALLBACK_SECRET',
    none,
    '',
    'Secret for signing builder tokens (HS256), at least 8 characters, 32 recommended; without it, /build-callbacks is disabled.',
    longText(8),
  ),
}
