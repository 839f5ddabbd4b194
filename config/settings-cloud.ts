/** Settings of what is done at clouds, and who is told of it; part of `settings.ts`. */
import { isSet, setting, text, word } from '#config/setting.ts'

export const cloudSettings = {
  cloudDriver: setting(
    'CLOUD_DRIVER',
    'simulated' as const,
    '',
    'Which clouds are behind the connectors.',
    word('simulated'),
  ),
  executor: setting(
    'EXECUTOR',
    'embedded' as 'embedded' | 'stream',
    '',
    'Who makes the calls that start and stop resources: embedded, this product; stream, whoever reads exec.intent and reports on exec.result.',
    word('embedded', 'stream'),
  ),
  notifyTerminal: setting(
    'REMEDIATION_NOTIFY_TERMINAL',
    false,
    '',
    'Whether owners and admins are also told by mail how workflows end.',
    isSet,
  ),
  notifyProvisioning: setting(
    'PROVISIONING_NOTIFY',
    false,
    '',
    'Whether owners and admins are told by mail of provisioning jobs that failed for a fault of the service or of its connector.',
    isSet,
  ),
  simulationSeed: setting(
    'SIMULATION_SEED',
    'tidemark',
    '',
    'What the simulated cloud is made from: the same seed, the same cloud.',
    text,
  ),
  simulationDir: setting(
    'SIMULATION_DIR',
    undefined as string | undefined,
    '',
    'Folder in which the simulated cloud keeps what was done to it, the data folder unless given: processes that share it see one cloud.',
    text,
  ),
}
