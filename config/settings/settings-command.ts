/** Settings of commands that call a Tidemark elsewhere. */
import { address, setting, text } from './setting.ts'

const none = undefined as string | undefined

export const commandSettings = {
  token: setting(
    'TIDEMARK_TOKEN',
    none,
    '',
    'Access token for commands that call another Tidemark, and for `tidemark mcp`.',
    text,
  ),
  remoteUrl: setting(
    'TIDEMARK_URL',
    none,
    '',
    'URL of the Tidemark that commands call with TIDEMARK_TOKEN; default: the selected profile, or the one on this machine.',
    address('http:', 'https:'),
  ),
  profile: setting(
    'TIDEMARK_PROFILE',
    none,
    '',
    'Profile of commands, or `local` for the Tidemark on this machine; default: the one of `tidemark profile use`.',
    text,
  ),
  configHome: setting('XDG_CONFIG_HOME', '', '', 'Folder of `tidemark/profiles.json`; default: `~/.config`.', text),
}
