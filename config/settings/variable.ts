/** A variable of the environment that is not a setting: one that a configuration file names. */
export const environmentVariable = (name: string): string | undefined => process.env[name]
