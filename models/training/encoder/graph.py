"""Builds the backbone as our own ONNX graph, from pixels to the tokens after chosen blocks. export.py adds the heads.

`Arithmetic` names the variants of the graph. From the same weights, "int8" is released for CPUs and "half" for GPUs.
"float" is the reference. "standard" computes like "half" with standard ONNX operators only and is released for
TensorRT, which requires this. "fused" computes like "half" in as few operators as ONNX Runtime's CUDA provider allows.
The input is decoded uint8 RGB, because the patch convolution includes the normalisation.
"""

from typing import Literal, NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from encoder.backbone import (
    CROP_PX,
    DEVIATION,
    HEADS,
    MEAN,
    PATCH_PX,
    TOKENS,
    WIDTH,
    Backbone,
    Block,
    Matrix,
    Norm,
    Units,
)

Arithmetic = Literal["int8", "half", "standard", "fused", "float"]
HALVES = ("half", "standard", "fused")
"""Arithmetics that compute in float16."""
CONTRIB = "com.microsoft"
OPSET, IR = 17, 8
EPSILON = 1e-5
QUICK_GELU = 1.702


class Pending(NamedTuple):
    """Tokens, and the result of a block that is still to be added to them once its bias is added.

    The next norm adds both, in one operator.
    """

    tokens: str
    product: str
    bias: str


class GraphWriter:
    """Collects the nodes and constants of a graph. Every method that adds a node returns the name of its output."""

    def __init__(self, arithmetic: Arithmetic):
        self.arithmetic = arithmetic
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, onnx.TensorProto] = {}

    def constant(self, name: str, values: np.ndarray) -> str:
        """Adds a constant (initialiser). A name that is added twice must have the same value."""
        self.constants[name] = numpy_helper.from_array(np.asarray(values, order="C"), name)
        return name

    def real(self, name: str, values: np.ndarray) -> str:
        """Adds a constant in the number format in which the graph computes.

        It is stored as float32, so that all graphs can read the same file.
        """
        stored = self.constant(name, values.astype(np.float32))
        if self.arithmetic not in HALVES:
            return stored
        return self.node("Cast", [stored], f"{name}.half", to=TensorProto.FLOAT16)

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: object) -> str:
        """Adds an operator with one output."""
        self.nodes.append(helper.make_node(kind, inputs, [output], domain=domain, **attributes))
        return output

    def norm(self, x: str, name: str, norm: Norm) -> str:
        """Adds a layer norm over the last axis."""
        inputs = [x, self.real(f"{name}.gain", norm.gain), self.real(f"{name}.bias", norm.bias)]
        return self.node("LayerNormalization", inputs, name, axis=-1, epsilon=EPSILON)

    def product(self, x: str, name: str, matrix: Matrix) -> str:
        """Adds x @ matrix + bias. On CPUs the range of the activations `x` is measured at run time to quantise them."""
        if self.arithmetic == "float":
            return self.float_product(x, name, matrix.dense(), matrix.bias)
        if self.arithmetic == "int8":
            values, scale = self.constant(f"{name}.values", matrix.values), self.constant(f"{name}.scale", matrix.scale)
            zeros = self.constant(f"{name}.zero", np.zeros(matrix.scale.shape, np.int8))
            bias = self.constant(f"{name}.bias", matrix.bias)
            return self.node("DynamicQuantizeMatMul", [x, values, scale, zeros, bias], name, CONTRIB)
        product = self.node("MatMul", [x, self.dense_half(name, matrix)], f"{name}.product")
        return self.node("Add", [product, self.real(f"{name}.bias", matrix.bias)], name)

    def dense_half(self, name: str, matrix: Matrix) -> str:
        """Adds the matrix in float16.

        With session.disable_quant_qdq it is converted once, when a session is opened. The GPU then stores float16 only.
        """
        values, scale = self.constant(f"{name}.values", matrix.values), self.constant(f"{name}.scale", matrix.scale)
        zeros = self.constant(f"{name}.zero", np.zeros(matrix.scale.shape, np.int8))
        dense = self.node("DequantizeLinear", [values, scale, zeros], f"{name}.dense", axis=1)
        return self.node("Cast", [dense], f"{name}.dense16", to=TensorProto.FLOAT16)

    def float_product(self, x: str, name: str, dense: np.ndarray, bias: np.ndarray | None) -> str:
        """Adds x @ dense (+ bias), which is never quantised."""
        if bias is None:
            return self.node("MatMul", [x, self.real(f"{name}.dense", dense)], name)
        product = self.node("MatMul", [x, self.real(f"{name}.dense", dense)], f"{name}.product")
        return self.node("Add", [product, self.real(f"{name}.bias", bias)], name)

    def outlier_channels(self, x: str, name: str, units: Units) -> str:
        """Adds the part of a block's output that comes from the units that are not quantised."""
        wide = self.float_product(x, f"{name}.wide", units.widen, units.bias)
        return self.float_product(self.quick_gelu(wide, f"{name}.active"), name, units.narrow, None)

    def quick_gelu(self, x: str, name: str) -> str:
        """Adds the activation function QuickGELU, x * sigmoid(1.702 x), to the graph."""
        if self.arithmetic != "standard":
            return self.node("QuickGelu", [x], name, CONTRIB, alpha=QUICK_GELU)
        scaled = self.node("Mul", [x, self.constant("quick.gelu", np.array(QUICK_GELU, np.float16))], f"{name}.scaled")
        return self.node("Mul", [x, self.node("Sigmoid", [scaled], f"{name}.sigmoid")], name)

    def gelu(self, x: str, name: str) -> str:
        """Adds the activation function GELU, x * (1 + erf(x / sqrt 2)) / 2, to the graph, in float32."""
        if self.arithmetic != "standard":
            return self.node("Gelu", [x], name, CONTRIB)
        number = lambda key, value: self.constant(f"gelu.{key}", np.array(value, np.float32))
        scaled = self.node("Mul", [x, number("scale", np.sqrt(0.5))], f"{name}.scaled")
        raised = self.node("Add", [self.node("Erf", [scaled], f"{name}.erf"), number("one", 1)], f"{name}.raised")
        return self.node("Mul", [self.node("Mul", [x, raised], f"{name}.twice"), number("half", 0.5)], name)

    def attention(self, qkv: str, name: str) -> str:
        """Adds the attention of all heads: from queries, keys and values side by side [N,197,3*768] to [N,197,768]."""
        thirds = [f"{name}.{part}" for part in "qkv"]
        if self.arithmetic != "standard":
            split = self.constant("thirds", np.full(3, WIDTH, np.int64))
            self.nodes.append(helper.make_node("Split", [qkv, split], [f"{third}3" for third in thirds], axis=-1))
            return self.node(
                "MultiHeadAttention", [f"{third}3" for third in thirds], f"{name}.attended", CONTRIB, num_heads=HEADS
            )
        sides = self.constant("heads", np.array([0, TOKENS + 1, 3, HEADS, WIDTH // HEADS]))
        parts = self.node("Reshape", [qkv, sides], f"{name}.parts")
        self.nodes.append(
            helper.make_node(
                "Split", [parts, self.constant("each", np.ones(3, np.int64))], [f"{third}5" for third in thirds], axis=2
            )
        )
        axis = self.constant("part.axis", np.array([2]))
        q, k, v = (self.node("Squeeze", [f"{third}5", axis], f"{third}4") for third in thirds)
        q, v = (self.node("Transpose", [part], f"{part}.by.head", perm=[0, 2, 1, 3]) for part in (q, v))
        k = self.node("Transpose", [k], f"{k}.by.head", perm=[0, 2, 3, 1])
        scale = self.constant("attention.scale", np.array((WIDTH // HEADS) ** -0.5, np.float16))
        scores = self.node("Mul", [self.node("MatMul", [q, k], f"{name}.scores"), scale], f"{name}.scaled")
        attended = self.node(
            "MatMul", [self.node("Softmax", [scores], f"{name}.shares", axis=-1), v], f"{name}.by.head"
        )
        rows = self.node("Transpose", [attended], f"{name}.rows", perm=[0, 2, 1, 3])
        return self.node(
            "Reshape", [rows, self.constant("tokens.sides", np.array([0, TOKENS + 1, WIDTH]))], f"{name}.attended"
        )

    def block(self, x: str, index: int, block: Block) -> str:
        """Adds a pre-norm block, which maps tokens [N,197,768] to the same shape."""
        name = f"b{index}"
        y = self.norm(x, f"{name}.norm1", block.before_attention)
        y = self.product(y, f"{name}.qkv", block.qkv)
        y = self.attention(y, name)
        y = self.product(y, f"{name}.projection", block.projection)
        x = self.node("Add", [x, y], f"{name}.middle")
        normed = self.norm(x, f"{name}.norm2", block.before_mlp)
        y = self.product(normed, f"{name}.widen", block.widen)
        y = self.product(self.quick_gelu(y, f"{name}.active"), f"{name}.narrow", block.narrow)
        if block.outliers is not None:
            y = self.node("Add", [y, self.outlier_channels(normed, f"{name}.loud", block.outliers)], f"{name}.both")
        return self.node("Add", [x, y], f"block{index + 1}")

    def add_pending(self, pending: Pending, name: str, norm: Norm, total: str) -> tuple[str, str]:
        """Adds the pending block result to the tokens and the norm of the sum.

        Returns the names of the norm, `name`, and of the sum, `total`.
        """
        inputs = [
            pending.tokens,
            pending.product,
            self.real(f"{name}.gain", norm.gain),
            self.real(f"{name}.bias", norm.bias),
            pending.bias,
        ]
        self.nodes.append(
            helper.make_node("SkipLayerNormalization", inputs, [name, "", "", total], domain=CONTRIB, epsilon=EPSILON)
        )
        return name, total

    def fused_block(self, x: str, normed: str, index: int, block: Block) -> Pending:
        """Adds the same function as `block` in fewer operators, for tokens `x` whose first norm is in the graph."""
        name = f"b{index}"
        qkv = [normed, self.dense_half(f"{name}.qkv", block.qkv), self.real(f"{name}.qkv.bias", block.qkv.bias)]
        y = self.node("Attention", qkv, f"{name}.attended", CONTRIB, num_heads=HEADS)
        y = self.node("MatMul", [y, self.dense_half(f"{name}.projection", block.projection)], f"{name}.projected")
        middle = Pending(x, y, self.real(f"{name}.projection.bias", block.projection.bias))
        normed, x = self.add_pending(middle, f"{name}.norm2", block.before_mlp, f"{name}.middle")
        widen, bias = self.dense_half(f"{name}.widen", block.widen), self.real(f"{name}.widen.bias", block.widen.bias)
        narrow = self.dense_half(f"{name}.narrow", block.narrow)
        if block.outliers is not None:
            # After the cast these units have the number format of the matrix, so they become columns and rows of it.
            units, loud = block.outliers, f"{name}.loud"
            widen = self.node(
                "Concat", [widen, self.real(f"{loud}.wide.dense", units.widen)], f"{name}.all.widen", axis=1
            )
            bias = self.node("Concat", [bias, self.real(f"{loud}.wide.bias", units.bias)], f"{name}.all.bias", axis=0)
            narrow = self.node(
                "Concat", [narrow, self.real(f"{loud}.dense", units.narrow)], f"{name}.all.narrow", axis=0
            )
        y = self.node("Add", [self.node("MatMul", [normed, widen], f"{name}.widened"), bias], f"{name}.wide")
        y = self.node("MatMul", [self.quick_gelu(y, f"{name}.active"), narrow], f"{name}.narrowed")
        return Pending(x, y, self.real(f"{name}.narrow.bias", block.narrow.bias))

    def fused_blocks(self, x: str, blocks: list[Block]) -> list[str]:
        """Adds all blocks in fewer operators. Returns the names of the tokens after each block.

        The result of a block is added to the tokens by the first norm of the next block.
        """
        names, normed = [], self.norm(x, "b0.norm1", blocks[0].before_attention)
        for index, block in enumerate(blocks):
            pending, names = self.fused_block(x, normed, index, block), [*names, f"block{index + 1}"]
            if index + 1 < len(blocks):
                normed, x = self.add_pending(
                    pending, f"b{index + 1}.norm1", blocks[index + 1].before_attention, names[-1]
                )
        both = self.node("Add", [pending.product, pending.bias], "last.product")
        return [*names[:-1], self.node("Add", [pending.tokens, both], names[-1])]

    def patches(self, backbone: Backbone) -> str:
        """Adds the patches of the image as tokens: from `pixels` to [N,196,768], row by row.

        CPUs run a convolution. On GPUs this is a matrix product, because ONNX Runtime makes cuDNN plan a convolution
        again whenever the number of crops changes (its issue 23006). Planning takes longer than all nine blocks.
        """
        patch = self.real("patch", backbone.patch / (255 * DEVIATION)[None, :, None, None])
        bias = self.real("patch.bias", -(backbone.patch * (MEAN / DEVIATION)[None, :, None, None]).sum((1, 2, 3)))
        if self.arithmetic in HALVES:
            sides = np.array([0, CROP_PX // PATCH_PX, PATCH_PX, CROP_PX // PATCH_PX, PATCH_PX, 3])
            x = self.node("Cast", ["pixels"], "real", to=TensorProto.FLOAT16)
            x = self.node("Reshape", [x, self.constant("patch.sides", sides)], "cut")
            x = self.node("Transpose", [x], "patch.pixels", perm=[0, 1, 3, 2, 4, 5])
            x = self.node("Reshape", [x, self.constant("flat", np.array([0, TOKENS, 3 * PATCH_PX**2]))], "flat.pixels")
            by_pixel = self.node("Transpose", [patch], "patch.by.pixel", perm=[2, 3, 1, 0])
            dense = self.node(
                "Reshape", [by_pixel, self.constant("patch.shape", np.array([3 * PATCH_PX**2, WIDTH]))], "patch.dense"
            )
            return self.node("Add", [self.node("MatMul", [x, dense], "patch.product"), bias], "row.patches")
        x = self.node("Cast", ["pixels"], "real", to=TensorProto.FLOAT)
        x = self.node("Transpose", [x], "planar", perm=[0, 3, 1, 2])
        x = self.node(
            "Conv", [x, patch, bias], "patches", strides=[PATCH_PX, PATCH_PX], kernel_shape=[PATCH_PX, PATCH_PX]
        )
        x = self.node("Reshape", [x, self.constant("flat", np.array([0, WIDTH, TOKENS]))], "flat.patches")
        return self.node("Transpose", [x], "row.patches", perm=[0, 2, 1])

    def tokens(self, backbone: Backbone) -> list[str]:
        """Adds the backbone. Returns the names of the tokens [N,197,768] after each block.

        The class token comes first, then the patches row by row.
        """
        x = self.patches(backbone)
        x = self.node("Add", [x, self.real("positions", backbone.positions[1:])], "placed")
        count = self.node(
            "Gather", [self.node("Shape", ["pixels"], "shape"), self.constant("first", np.array([0]))], "count"
        )
        size = self.node("Concat", [count, self.constant("one.token", np.array([1, WIDTH]))], "class.size", axis=0)
        one = self.real("class", (backbone.class_token + backbone.positions[0])[None, None])
        x = self.node("Concat", [self.node("Expand", [one, size], "classes"), x], "all", axis=1)
        x = self.norm(x, "before", backbone.before_blocks)
        if self.arithmetic == "fused":
            return self.fused_blocks(x, backbone.blocks)
        names = []
        for index, block in enumerate(backbone.blocks):
            x = self.block(x, index, block)
            names.append(x)
        return names

    def pool(self, blocks: dict[int, str]) -> tuple[str, str]:
        """Adds the input of the heads, computed from the tokens after some blocks. `blocks` has their names by number.

        `features` [N, 2 * 768 for each block] has the class token and the mean of the patch tokens. `token.features` is
        [N,196, 768 for each block].
        """
        bounds = [
            self.constant(f"patches.{bound}", np.array([at])) for bound, at in (("from", 1), ("to", 2**31), ("axis", 1))
        ]
        features, patches = [], []
        for block, tokens in blocks.items():
            name = f"pool{block}"
            class_token = self.node(
                "Gather", [tokens, self.constant("class.row", np.array(0))], f"{name}.class", axis=1
            )
            patches.append(self.node("Slice", [tokens, *bounds], f"{name}.patches"))
            features += [class_token, self.node("ReduceMean", [patches[-1]], f"{name}.mean", axes=[1], keepdims=0)]
        return self.node("Concat", features, "features", axis=1), self.node("Concat", patches, "token.features", axis=2)

    def model(self, outputs: dict[str, list[int | str]]) -> onnx.ModelProto:
        """Returns the graph from `pixels` uint8 [N,224,224,3] to float outputs of the given shapes."""
        pixels = helper.make_tensor_value_info("pixels", TensorProto.UINT8, ["N", CROP_PX, CROP_PX, 3])
        given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, "telltale", [pixels], given, list(self.constants.values()))
        imports = [helper.make_opsetid("", OPSET)]
        if any(node.domain == CONTRIB for node in self.nodes):
            imports.append(helper.make_opsetid(CONTRIB, 1))
        return helper.make_model(graph, opset_imports=imports, ir_version=IR, producer_name="telltale")
