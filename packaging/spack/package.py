# A recipe for Spack: packages/pentacl/package.py of a repository of recipes (spack repo create, spack repo add).
from spack.package import *


class Pentacl(CMakePackage):
    """Portable OpenCL compute engine: autocorrelation and preparation of images, star-camera frames, n-body gravity,
    principal components and cardiac optical mapping. The command penta, libpentacl and libpentacl_io."""

    homepage = "https://github.com/pentacl/pentacl"
    git = "https://github.com/pentacl/pentacl.git"

    license("Apache-2.0")

    version("main", branch="main")
    version("0.3.0", tag="v0.3.0")

    variant("tiff", default=True, description="TIFF images and movies")
    variant("jpeg", default=True, description="JPEG images")
    variant("fits", default=True, description="FITS images")
    variant("hdf5", default=True, description="Bodies and cubes in HDF5")
    variant("matio", default=True, description="Cubes and movies in MATLAB files")
    variant("gif", default=True, description="GIF images")
    variant("gdal", default=False, description="Cubes in GeoTIFF and others")
    variant("raw", default=False, description="Camera raw images")
    variant("mpi", default=False, description="A job on several machines, by libpentacl_mpi")
    variant("python", default=True, description="The Python package")

    depends_on("c", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl@1.2: +icd")
    depends_on("clfft")
    depends_on("clblast")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("libtiff", when="+tiff")
    depends_on("jpeg", when="+jpeg")
    depends_on("cfitsio", when="+fits")
    depends_on("hdf5", when="+hdf5")
    depends_on("matio", when="+matio")
    depends_on("giflib@5:", when="+gif")
    depends_on("gdal", when="+gdal")
    depends_on("libraw", when="+raw")
    depends_on("mpi", when="+mpi")
    extends("python@3.9:", when="+python")
    depends_on("py-pip", type="build", when="+python")
    depends_on("py-scikit-build-core@0.10:", type="build", when="+python")
    depends_on("py-cffi@1.15:", type=("build", "run"), when="+python")
    depends_on("py-numpy@1.22:", type=("build", "run"), when="+python")

    # A header of functions, of which Spack has no package.
    resource(name="vkfft", git="https://github.com/DTolm/VkFFT.git", tag="v1.2.26", destination="", placement="vkfft")

    generator("ninja")

    def cmake_args(self):
        formats = ("tiff", "jpeg", "fits", "hdf5", "matio", "gif", "gdal", "raw", "mpi")
        return [
            self.define("VKFFT_INCLUDE_DIR", join_path(self.stage.source_path, "vkfft", "vkFFT")),
            self.define("PENTACL_BUILD_TESTS", False),
            *(self.define_from_variant(f"PENTACL_WITH_{name.upper()}", name) for name in formats),
        ]

    @run_after("install", when="+python")
    def install_python(self):
        defines = [argument[2:].replace(":BOOL", "").replace(":STRING", "") for argument in self.cmake_args()]
        with working_dir(self.stage.source_path):
            env["SKBUILD_CMAKE_DEFINE"] = ";".join(defines)
            python("-m", "pip", "install", "--no-deps", "--no-build-isolation", f"--prefix={self.prefix}", "./python")

    @on_package_attributes(run_tests=True)
    @run_after("install")
    def check_selftest(self):
        Executable(self.prefix.bin.penta)("devices")
