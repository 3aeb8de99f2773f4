# For tools that expect node-gyp: CMake builds the addon, by the same set-up as everywhere.
#
# Both keep their files in build/, and whoever configured last owns build/Makefile: the set-up configures before it builds,
# and the Makefile of either makes build/Release/telltale.node.
{
  "targets": [
    {
      "target_name": "telltale",
      "type": "none",
      "actions": [
        {
          "action_name": "build_by_cmake",
          # Without an input, gyp's rule remembers that the command has run, and never runs it again.
          "inputs": ["binding.gyp"],
          # Never made, so that the set-up itself decides whether there is anything to do.
          "outputs": ["<(PRODUCT_DIR)/asked_every_time"],
          "action": ["node", "scripts/setup.mjs", "--engine-only"],
        },
      ],
    },
  ],
}
