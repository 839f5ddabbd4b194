/** Settings of what hosts of sources and builders tell, and are told. */
import { address, longText, setting, text, word } from '#config/setting.ts'

const none = undefined as string | undefined

/** `whsec_` stands before a key in base64: with nothing behind it anybody could sign. */
function gitlabSecret(value: string): string {
  if (value.startsWith('whsec_') && Buffer.from(value.slice('whsec_'.length), 'base64').length === 0)
    throw new Error('must have a key in base64 behind whsec_')
  return value
}

export const sourceSettings = {
  sourceSecret: setting(
    'SOURCE_APP_WEBHOOK_SECRET',
    none,
    '',
    'What GitHub signs webhooks with; without it /webhooks/github answers 503.',
    text,
  ),
  sourceSecretPrevious: setting(
    'SOURCE_APP_WEBHOOK_SECRET_PREVIOUS',
    none,
    '',
    'The secret before it, taken too while it is being replaced.',
    text,
  ),
  gitlabSecret: setting(
    'GITLAB_WEBHOOK_SECRET',
    none,
    '',
    'What GitLab signs webhooks with, or sends as their token; without it there is no /webhooks/gitlab.',
    gitlabSecret,
  ),
  bitbucketSecret: setting(
    'BITBUCKET_WEBHOOK_SECRET',
    none,
    '',
    'What Bitbucket signs webhooks with; without it there is no /webhooks/bitbucket.',
    text,
  ),
  azureDevopsSecret: setting(
    'AZURE_DEVOPS_WEBHOOK_SECRET',
    none,
    '',
    'Password of the service hooks of Azure DevOps; without it there is no /webhooks/azure-devops.',
    text,
  ),
  sourceLinks: setting(
    'SOURCE_LINKS',
    undefined as 'open' | 'proven' | undefined,
    '',
    'Whether a push reaches only the organization that has proved that the repository is its own (proven) or, in a service without strangers, all that deploy it (open); unless set, open where HOST and PUBLIC_URL are loopback addresses.',
    word('open', 'proven'),
  ),
  sourceApiUrl: setting(
    'SOURCE_API_URL',
    none,
    '',
    'API of GitHub that statuses of pull requests are posted to; without it they are not looked at.',
    address('http:', 'https:'),
  ),
  sourceApiToken: setting('SOURCE_API_TOKEN', none, '', 'Token sent along with those statuses.', text),
  buildCallbackSecret: setting(
    'BUILD_CALLBACK_SECRET',
    none,
    '',
    'What the tokens of builders are signed with (HS256), 8 characters at least and better 32; without it there is no /build-callbacks.',
    longText(8),
  ),
}
